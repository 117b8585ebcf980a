import { standingOf } from '#components/people/standing-of.ts'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { StatedAmount } from '#components/ui/shared/stated-amount.tsx'
import { limitCurrency } from '#lib/transactions/rules/limit-currency.ts'
import { paymentPhase } from '#lib/transactions/rules/payment-phase.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'
import { rateLabel } from '#lib/words/labels/money.ts'

/** Facts given beside the amounts. The contract names no currency of `fees`. */
export function MoneyCard({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const { fees, limit } = transaction
  const rate = paymentPhase(standingOf(transaction)).exchanged ? rateLabel(transaction) : null
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
