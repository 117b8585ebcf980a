import { parseDecimal } from '#lib/domain/text/decimal.ts'
import { formatMoney } from '#lib/labels/money.ts'
import { Fact } from './ui/card.tsx'

/** An amount in its currency, or a dash while none was given. */
export function Amount({
  value,
  currency,
}: {
  readonly value: string | null
  readonly currency: string | null
}) {
  const words = formatAmount(value, currency)
  if (words === null) return <span className="text-faint">–</span>
  return <span className="num whitespace-nowrap">{words}</span>
}

/** An amount that was given, beside its name. It carries no currency in the contract, so none is shown. */
export const AmountFact = ({ name, value }: { readonly name: string; readonly value: string | null }) =>
  value && (
    <Fact name={name}>
      <Amount value={value} currency={null} />
    </Fact>
  )

/** The same as text; digits that are no number are shown as they are. */
export function formatAmount(value: string | null, currency: string | null): string | null {
  if (value === null) return null
  const decimal = parseDecimal(value)
  return decimal === null ? value : formatMoney(decimal, currency)
}
