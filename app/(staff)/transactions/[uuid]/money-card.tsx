import { Amount } from '#components/amount.tsx'
import { headlineFacts } from '#components/headline-facts.ts'
import { paidAmounts } from '#components/paid-amounts.tsx'
import { standingOf } from '#components/standing-of.ts'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { parseDecimal } from '#lib/domain/text/decimal.ts'
import { paymentPhase } from '#lib/domain/transaction/payment-phase.ts'
import { refundCurrency } from '#lib/domain/transaction/refund.ts'
import { computedRate } from '#lib/labels/money.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

/** Both amounts, each with what its step says of it. `fees` and `limit` carry no currency in the contract, so none is shown. */
export function MoneyCard({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const standing = standingOf(transaction)
  const [paidIn, paidOut] = paidAmounts({ ...transaction, ...standing })
  const rate = paymentPhase(standing).exchanged ? rateOf(transaction) : null
  return (
    <Card title="Money">
      <Facts>
        <Fact name={paidIn.label}>{paidIn.amount}</Fact>
        <Fact name="Fees">
          <Amount value={transaction.fees} currency={null} />
        </Fact>
        <Fact name={paidOut.label}>{paidOut.amount}</Fact>
        {transaction.amountRefunded && (
          <Fact name="Refunded">
            <Amount
              value={transaction.amountRefunded}
              currency={refundCurrency(headlineFacts(transaction))}
            />
          </Fact>
        )}
        {transaction.limit && (
          <Fact name="Limit">
            <Amount value={transaction.limit} currency={null} />
          </Fact>
        )}
        {rate && (
          <Fact name="Rate">
            <span className="num">{rate}</span> <span className="text-faint">computed</span>
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

/** "1 EUR = 1.0504 USDC", when both sides are known. */
function rateOf(transaction: TransactionDetailsView): string | null {
  const fiat = parseDecimal(transaction.amountFiat)
  const crypto = parseDecimal(transaction.amountCrypto)
  const currency = transaction.currencyFiat?.toUpperCase()
  const coin = transaction.currencyCrypto?.toUpperCase()
  if (fiat === null || crypto === null || !currency || !coin) return null
  const rate =
    transaction.direction === 'cryptoToFiat' ? computedRate(crypto, fiat) : computedRate(fiat, crypto)
  if (rate === null) return null
  return transaction.direction === 'cryptoToFiat'
    ? `1 ${coin} = ${rate} ${currency}`
    : `1 ${currency} = ${rate} ${coin}`
}
