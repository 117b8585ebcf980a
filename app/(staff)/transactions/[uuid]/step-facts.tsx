import type { ReactNode } from 'react'
import { StatedAmount } from '#components/ui/shared/amount.tsx'
import { ExplorerLink } from '#components/ui/shared/explorer-link.tsx'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { eventRefund, factsOf } from '#lib/timeline/labels/event-facts.ts'
import { formatMoney } from '#lib/words/labels/money.ts'

/** The facts are the amounts and ids of a step as its own event gave them. The transaction has the latest of each. */
export function stepFacts(event: Pick<EventDetailsView, 'type' | 'subType' | 'body'>): ReactNode {
  const { type } = event
  if (!isDirection(type)) return null
  const given = new Map(factsOf(event).map((fact) => [fact.path, fact]))
  const amountOf = (path: string) => {
    const fact = given.get(path)
    return fact && <StatedAmount value={fact.value} currency={fact.currency} />
  }
  const crypto = amountOf('amountCrypto')
  switch (event.subType) {
    case 'CRYPTO_TRANSFER_ISSUED': {
      const hash = given.get('transactionHash')
      return (
        (crypto || hash) && (
          <>
            {crypto}
            {hash && (
              <>
                <span className="text-muted">in transaction</span>
                <ExplorerLink kind="tx" value={hash.value} chain={hash.chain} />
              </>
            )}
          </>
        )
      )
    }
    case 'FIAT_TRANSFER_ISSUED':
      return amountOf('amountFiat')
    case 'LIMIT_BREACHED':
      return (
        <>
          {crypto ?? 'An amount'} <span className="text-muted">sent, the limit is</span>
          {amountOf('limit') ?? <StatedAmount value={null} currency={null} />}
        </>
      )
    case 'REFUNDED': {
      const refund = eventRefund(event)
      return (
        refund && (
          <>
            <span className="text-muted">Amount refunded</span>
            <StatedAmount value={refund.amount} currency={refund.currency} />
            {refund.of && <span className="text-muted">of {formatMoney(refund.of, refund.currency)}</span>}
          </>
        )
      )
    }
    default:
      return null
  }
}
