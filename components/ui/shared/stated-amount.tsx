import { Amount } from './amount.tsx'

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
