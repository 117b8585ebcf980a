'use client'

import { useQueryStates } from 'nuqs'
import { useRowKeys } from '#components/use-row-keys.ts'
import { FoundSubjects } from './found-subjects.tsx'
import { ListedTransactions } from './listed-transactions.tsx'
import type { Rendered } from './rendered.ts'
import { transactionsSearch } from './search.ts'
import { SearchBox } from './search-box.tsx'
import { TransactionFilterBar } from './transaction-filter-bar.tsx'
import { useFoundSubjects } from './use-found-subjects.ts'

/** The search above; below it what was found, or the list with its filters. */
export function TransactionList({
  rendered,
  sandboxUrl,
}: {
  readonly rendered: Rendered
  readonly sandboxUrl: string | null
}) {
  const [search, setSearch] = useQueryStates(transactionsSearch)
  const found = useFoundSubjects(search, rendered)
  const turnTo = (cursor: string | null) => setSearch({ cursor }, { history: 'push' })
  useRowKeys()
  const searching = search.q.trim() !== ''
  return (
    <>
      <SearchBox
        text={search.q}
        onText={(q) => setSearch({ q: q === '' ? null : q, cursor: null }, { history: 'replace' })}
        search={found}
      />
      {searching ? (
        <FoundSubjects
          text={search.q}
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
