'use client'

import { useQueryStates } from 'nuqs'
import { useEffect } from 'react'
import { DeadLinkCallout } from '#components/dead-link-callout.tsx'
import { useRowKeys } from '#components/use-row-keys.ts'
import { FoundSubjects } from './found-subjects.tsx'
import { ListedTransactions } from './listed-transactions.tsx'
import type { Rendered } from './rendered.ts'
import { transactionsSearch } from './search.ts'
import { SearchBox } from './search-box.tsx'
import { TransactionFilterBar } from './transaction-filter-bar.tsx'
import { useFoundSubjects } from './use-found-subjects.ts'
import { useSearchText } from './use-search-text.ts'

/** The search above; below it what was found, or the list with its filters. */
export function TransactionList({
  rendered,
  sandboxUrl,
}: {
  readonly rendered: Rendered
  readonly sandboxUrl: string | null
}) {
  const [search, setSearch] = useQueryStates(transactionsSearch)
  const { typed, type } = useSearchText(rendered)
  const found = useFoundSubjects(typed, search.cursor, rendered)
  const turnTo = (cursor: string | null) => setSearch({ cursor }, { history: 'push' })
  useRowKeys()
  const searching = typed.text.trim() !== '' || typed.link !== null
  // The address names what is looked for by a link that says nothing of it.
  const link = searching && found.state === 'found' ? (found.found?.link ?? null) : null
  useEffect(() => {
    if (link !== null) void setSearch({ search: link }, { history: 'replace' })
  }, [link, setSearch])
  return (
    <>
      <SearchBox
        text={typed.text}
        onText={(text) => {
          type(text)
          void setSearch({ search: null, cursor: null }, { history: 'replace' })
        }}
        search={found}
      />
      {rendered.deadLink && !searching && <DeadLinkCallout why={rendered.deadLink} />}
      {searching ? (
        <FoundSubjects
          text={typed.text}
          cursor={search.cursor}
          onCursor={turnTo}
          search={found}
          sandboxUrl={sandboxUrl}
        />
      ) : (
        <>
          <TransactionFilterBar
            direction={search.direction}
            step={search.step}
            sort={search.sort}
            onChange={(filters) => setSearch({ ...filters, cursor: null }, { history: 'push' })}
          />
          <ListedTransactions
            search={search}
            onCursor={turnTo}
            onClear={() => setSearch({ direction: null, step: null, cursor: null }, { history: 'push' })}
            rendered={rendered}
            sandboxUrl={sandboxUrl}
          />
        </>
      )}
    </>
  )
}
