'use client'

import { SearchX } from 'lucide-react'
import { FailedToLoad } from '#components/failed-to-load.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { TransactionsSkeleton } from './transactions-skeleton.tsx'
import { TransactionsTable } from './transactions-table.tsx'
import type { Found } from './use-found-transactions.ts'

/** What a search found, or why it may not be here. */
export function FoundTransactions({
  text,
  found,
  sandbox,
}: {
  readonly text: string
  readonly found: Found
  readonly sandbox: boolean
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
              There are more. Type more of it to narrow them down.
            </p>
          )}
        </>
      ) : state === 'looking' ? (
        <TransactionsSkeleton rows={3} />
      ) : (
        <NotFound text={text} sandbox={sandbox} />
      )}
    </Card>
  )
}

function NotFound({ text, sandbox }: { readonly text: string; readonly sandbox: boolean }) {
  return (
    <EmptyState
      icon={SearchX}
      title={<span className="break-all">Nothing here is named “{text.trim().slice(0, 80)}”</span>}
      action={<ButtonLink href="/endpoints">Check the endpoints</ButtonLink>}
    >
      <p>It may still exist. It is not here when</p>
      <ul className="mt-2 list-disc space-y-1 pl-5 text-left">
        <li>it belongs to another environment{sandbox && ', and not to the sandbox'}</li>
        <li>it happened before an endpoint pointed to this dashboard</li>
        <li>the endpoint is not subscribed to fiatToCrypto or cryptoToFiat, or was switched off</li>
        <li>the delivery has not arrived yet: the service tries again for up to 19 hours</li>
      </ul>
    </EmptyState>
  )
}
