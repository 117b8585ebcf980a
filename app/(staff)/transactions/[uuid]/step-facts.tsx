import type { ReactNode } from 'react'
import { Amount } from '#components/amount.tsx'
import { ExplorerLink } from '#components/explorer-link.tsx'
import { headlineFacts } from '#components/headline-facts.ts'
import { refundCurrency } from '#lib/domain/transaction/refund.ts'
import type { EventDetailsView } from '#lib/events/event-view.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

/** The amounts and ids that a step brings, as far as they were given. */
export function stepFacts(event: EventDetailsView, transaction: TransactionDetailsView): ReactNode {
  const { amountCrypto, currencyCrypto, amountFiat, currencyFiat, transactionHash, chain } = transaction
  const crypto = amountCrypto && <Amount value={amountCrypto} currency={currencyCrypto} />
  switch (event.subType) {
    case 'CRYPTO_TRANSFER_ISSUED':
      return (
        (crypto || transactionHash) && (
          <>
            {crypto}
            {transactionHash && (
              <>
                <span className="text-muted">in transaction</span>
                <ExplorerLink kind="tx" value={transactionHash} chain={chain} />
              </>
            )}
          </>
        )
      )
    case 'FIAT_TRANSFER_ISSUED':
      return amountFiat && <Amount value={amountFiat} currency={currencyFiat} />
    case 'LIMIT_BREACHED':
      return (
        <>
          {crypto ?? 'An amount'} <span className="text-muted">sent, the limit is</span>
          <Amount value={transaction.limit} currency={null} />
        </>
      )
    case 'REFUNDED':
      return (
        transaction.amountRefunded && (
          <>
            <span className="text-muted">Amount refunded</span>
            <Amount
              value={transaction.amountRefunded}
              currency={refundCurrency(headlineFacts(transaction))}
            />
          </>
        )
      )
    default:
      return null
  }
}
