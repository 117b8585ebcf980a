'use client'

import { useQueryStates } from 'nuqs'
import { useRowKeys } from '#components/use-row-keys.ts'
import { TransactionFilterBar } from './filter-bar.tsx'
import { FoundTransactions } from './found-transactions.tsx'
import { ListedTransactions } from './listed-transactions.tsx'
import type { Rendered } from './rendered.ts'
import { transactionsSearch } from './search.ts'
import { SearchBox } from './search-box.tsx'
import { useFoundTransactions } from './use-found-transactions.ts'

/** The search above; below it what was found, or the list with its filters. */
export function TransactionsView({
  rendered,
  sandboxUrl,
}: {
  readonly rendered: Rendered
  readonly sandboxUrl: string | null
}) {
  const [search, setSearch] = useQueryStates(transactionsSearch)
  const found = useFoundTransactions(search.q, rendered)
  useRowKeys()
  const searching = search.q.trim() !== ''
  return (
    <>
      <SearchBox
        text={search.q}
        onText={(q) => setSearch({ q: q === '' ? null : q, cursor: null }, { history: 'replace' })}
        found={found}
      />
      {searching ? (
        <FoundTransactions text={search.q} found={found} sandboxUrl={sandboxUrl} />
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
            onCursor={(cursor) => setSearch({ cursor }, { history: 'push' })}
            onClear={() => setSearch({ direction: null, step: null, cursor: null }, { history: 'push' })}
            rendered={rendered}
            sandboxUrl={sandboxUrl}
          />
        </>
      )}
    </>
  )
}
