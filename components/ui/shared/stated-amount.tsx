import { Amount } from './amount.tsx'

// Apart from the amount alone, which is all that lists load.

/** An amount that stands for itself: where nobody gave its currency, as of fees, it says so. */
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

/** Where the sender names none, as of `fees`. */
export const noCurrency = 'currency not given'
