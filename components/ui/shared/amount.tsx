import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { formatMoney } from '#lib/words/labels/money.ts'

/** The amount is shown in its currency; a missing amount is a dash. */
export function Amount({
  value,
  currency,
}: {
  readonly value: string | null
  readonly currency: string | null
}) {
  const words = formatAmount(value, currency)
  if (words === null) return <span className="text-faint">–</span>
  return <span className="num">{words}</span>
}

/** The amount is a text; digits that are no number are shown as they are. */
export function formatAmount(value: string | null, currency: string | null): string | null {
  if (value === null) return null
  const decimal = parseDecimal(value)
  return decimal === null ? value : formatMoney(decimal, currency)
}

// This file is separate from `amount.tsx`, which is all that lists load.

/** The amount says when nobody gave its currency, such as that of fees. */
export const StatedAmount = ({
  value,
  currency,
}: {
  readonly value: string | null
  readonly currency: string | null
}) => (
  <>
    <Amount value={value} currency={currency} />
    {value !== null && currency === null && <span className="text-muted"> ({noCurrency})</span>}
  </>
)

/** The sender names no currency, for example of `fees`. */
export const noCurrency = 'currency not given'
