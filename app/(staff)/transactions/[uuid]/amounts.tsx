import { clsx } from 'clsx'
import { standingOf } from '#components/people/standing-pill.tsx'
import { type PaidSide, paidAmounts } from '#components/transactions/paid-amounts.tsx'
import { noCurrency } from '#components/ui/shared/amount.tsx'
import { finalSteps } from '#lib/deliveries/rules/steps.ts'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { type Refund, refundOf } from '#lib/transactions/rules/refund.ts'
import { formatMoney, moneyParts } from '#lib/words/labels/money.ts'
import { CopiedWhole } from './copied-whole.tsx'

type Row = Pick<PaidSide, 'label' | 'value' | 'currency' | 'className'> & { readonly note?: string | null }

/**
 * The amounts are those that came in, go out and went back. They line up by their decimal points beside labels, and
 * from the left otherwise.
 */
export function Amounts({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const refund = refundOf(transaction)
  const missing = missingOf(transaction)
  const rows: Row[] = [...paidAmounts({ ...transaction, ...standingOf(transaction) })]
  if (refund !== null)
    rows.push({
      label: refundLabels[refund.kind],
      value: refund.amount,
      currency: refund.currency,
      className: null,
      note:
        refund.of !== null
          ? `of ${formatMoney(refund.of, refund.currency)}`
          : refund.doubt === 'more'
            ? 'more than came in'
            : null,
    })
  if (rows.every(({ value }) => value === null) && !transaction.flags.includes(unreadable)) return null
  return (
    <dl className="grid min-w-0 grid-cols-[minmax(0,auto)_minmax(0,auto)] items-baseline gap-y-1 @sm:grid-cols-[auto_minmax(0,auto)_minmax(0,auto)]">
      {rows.map((row) => (
        <AmountRow key={row.label} row={row} missing={missing} />
      ))}
    </dl>
  )
}

const unreadable = 'amount-not-readable'

function missingOf({ step, flags }: TransactionDetailsView): string {
  if (flags.includes(unreadable)) return 'not provided or not readable: see the events'
  return finalSteps.includes(step ?? '') ? 'not provided' : 'not known yet'
}

/** The headline and the reply use the same words. */
const refundLabels = {
  whole: 'Refunded',
  part: 'Refunded',
  reported: 'Refund reported',
  doubted: 'Refund unconfirmed',
} as const satisfies Record<Refund['kind'], string>

function AmountRow({
  row: { label, value, currency, className, note },
  missing,
}: {
  readonly row: Row
  readonly missing: string
}) {
  return (
    <div className="col-span-full grid grid-cols-subgrid items-baseline">
      <dt className="col-span-full @sm:col-span-1 @sm:pr-5 text-muted text-sm">{label}</dt>
      {value === null ? (
        <dd className="col-span-2 text-faint text-sm">{missing}</dd>
      ) : (
        <dd className="col-span-2 items-baseline @sm:grid @sm:grid-cols-subgrid">
          <Digits value={value} currency={currency} className={className} />
          {note && <span className="col-span-2 text-muted text-sm"> {note}</span>}
        </dd>
      )}
    </div>
  )
}

/** Screen readers read the whole amount; the pieces are only seen. Digits that are no number are shown as they are. */
function Digits({ value, currency, className }: Omit<Row, 'label' | 'value'> & { readonly value: string }) {
  const decimal = parseDecimal(value)
  const { whole, decimals, finer, unit } =
    decimal === null ? { whole: value, decimals: '', finer: '', unit: '' } : moneyParts(decimal, currency)
  const said = currency === null ? `(${noCurrency})` : ''
  const digits = clsx('num wrap-anywhere font-heading @xs:text-figure text-xl', className)
  const text = [whole, decimals, finer, unit, said && ` ${said}`].join('')
  return (
    <CopiedWhole text={text}>
      <span className="sr-only select-none">{text}</span>
      <span aria-hidden className={clsx('text-right', digits)}>
        {whole}
      </span>
      <span aria-hidden className={digits}>
        {decimals}
        <span className="font-normal text-faint">{finer}</span>
        {(unit || said) && ' '}
        <span className="inline-block font-normal text-base text-muted">{unit.trim() || said}</span>
      </span>
    </CopiedWhole>
  )
}
