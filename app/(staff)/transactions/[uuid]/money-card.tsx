import { StatedAmount } from '#components/amount.tsx'
import { standingOf } from '#components/standing-of.ts'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { parseDecimal } from '#lib/domain/text/decimal.ts'
import { limitCurrency } from '#lib/domain/transaction/limit-currency.ts'
import { paymentPhase } from '#lib/domain/transaction/payment-phase.ts'
import { computedRate } from '#lib/labels/money.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

/** What was given beside the amounts. The contract names no currency of `fees`. */
export function MoneyCard({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const { fees, limit } = transaction
  const rate = paymentPhase(standingOf(transaction)).exchanged ? rateOf(transaction) : null
  if (fees === null && limit === null && rate === null) return null
  return (
    <Card title="Fees and rate">
      <Facts>
        <Fact name="Fees">
          <StatedAmount value={fees} currency={null} />
        </Fact>
        {limit && (
          <Fact name="Limit">
            <StatedAmount value={limit} currency={limitCurrency(transaction)} />
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
