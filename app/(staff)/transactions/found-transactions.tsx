'use client'

import { SearchX } from 'lucide-react'
import { FailedToLoad } from '#components/failed-to-load.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { TransactionsSkeleton } from './transactions-skeleton.tsx'
import { TransactionsTable } from './transactions-table.tsx'
import type { Found } from './use-found-transactions.ts'
import { WhyNotHere } from './why-not-here.tsx'

/** What a search found, or why it may not be here. */
export function FoundTransactions({
  text,
  found,
  sandboxUrl,
}: {
  readonly text: string
  readonly found: Found
  readonly sandboxUrl: string | null
}) {
  const { state, matches } = found
  return (
    <Card className="mt-4" aria-label="Found" aria-busy={state === 'looking'}>
      {state === 'failed' ? (
        <FailedToLoad error={found.error} onRetry={found.retry} />
      ) : state === 'nothing-to-look-for' ? (
        <EmptyState icon={SearchX} title={found.words}>
          An id can be whole, its beginning, its end, or shortened as it is printed here.
        </EmptyState>
      ) : !matches ? (
        <TransactionsSkeleton rows={3} />
      ) : matches.rows.length > 0 ? (
        <>
          <TransactionsTable rows={matches.rows} />
          {matches.more && (
            <p className="border-t px-4 py-2.5 text-muted text-sm">
              There are more than these {matches.rows.length}. More of an id narrows them down.
            </p>
          )}
        </>
      ) : state === 'looking' ? (
        <TransactionsSkeleton rows={3} />
      ) : (
        <WhyNotHere
          title={<span className="wrap-anywhere">Nothing here is named “{text.trim().slice(0, 80)}”</span>}
          sandboxUrl={sandboxUrl}
        />
      )}
    </Card>
  )
}
