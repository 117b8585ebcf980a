'use client'

import { useQueryStates } from 'nuqs'
import { useEffect } from 'react'
import { DeadLinkCallout } from '#components/dead-link-callout.tsx'
import type { AllowedExport } from '#components/form/export-button.tsx'
import { useRowKeys } from '#components/use-row-keys.ts'
import type { Action } from '#lib/forms/action-state.ts'
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
  allowExport,
}: {
  readonly rendered: Rendered
  readonly sandboxUrl: string | null
  /** Null for whoever may not export. */
  readonly allowExport: Action<AllowedExport> | null
}) {
  const [search, setSearch] = useQueryStates(transactionsSearch)
  const { typed, type } = useSearchText(rendered)
  const found = useFoundSubjects(typed, search, rendered)
  const turnTo = (cursor: string | null) => setSearch({ cursor }, { history: 'push' })
  const clear = () => setSearch({ direction: null, step: null, cursor: null }, { history: 'push' })
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
      {!found.found?.lines && (
        <TransactionFilterBar
          direction={search.direction}
          step={search.step}
          sort={search.sort}
          ordered={!searching}
          onChange={(filters) => setSearch({ ...filters, cursor: null }, { history: 'push' })}
        />
      )}
      {searching ? (
        <FoundSubjects
          text={typed.text}
          search={found}
          filters={search}
          onCursor={turnTo}
          onClear={clear}
          sandboxUrl={sandboxUrl}
          allowExport={allowExport}
        />
      ) : (
        <ListedTransactions
          search={search}
          onCursor={turnTo}
          onClear={clear}
          rendered={rendered}
          sandboxUrl={sandboxUrl}
        />
      )}
    </>
  )
}
