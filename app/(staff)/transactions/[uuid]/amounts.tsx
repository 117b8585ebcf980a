import { clsx } from 'clsx'
import { headlineFacts } from '#components/headline-facts.ts'
import { type PaidSide, paidAmounts } from '#components/paid-amounts.tsx'
import { standingOf } from '#components/standing-of.ts'
import { noCurrency } from '#components/stated-amount.tsx'
import { finalSteps } from '#lib/domain/delivery/steps.ts'
import { parseDecimal } from '#lib/domain/text/decimal.ts'
import { refundCurrency, refundOf } from '#lib/domain/transaction/refund.ts'
import { moneyParts } from '#lib/labels/money.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

type Row = Pick<PaidSide, 'label' | 'value' | 'currency' | 'look'>

/** What came in, what goes out and what went back: by their decimal points where labels stand beside them, else from the left. */
export function Amounts({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const refund = refundOf(transaction)
  const missing = finalSteps.includes(transaction.step ?? '') ? 'not given' : 'not given yet'
  const rows: Row[] = [...paidAmounts({ ...transaction, ...standingOf(transaction) })]
  if (refund !== null)
    rows.push({
      label: 'Refunded',
      value: refund,
      currency: refundCurrency(headlineFacts(transaction)),
      look: null,
    })
  if (rows.every(({ value }) => value === null)) return null
  return (
    <dl className="grid min-w-0 grid-cols-[minmax(0,auto)_minmax(0,auto)] items-baseline gap-y-1 @sm:grid-cols-[auto_minmax(0,auto)_minmax(0,auto)]">
      {rows.map((row) => (
        <AmountRow key={row.label} row={row} missing={missing} />
      ))}
    </dl>
  )
}

function AmountRow({
  row: { label, value, currency, look },
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
          <Digits value={value} currency={currency} look={look} />
        </dd>
      )}
    </div>
  )
}

/** The whole of it for who listens, the pieces for who looks. Digits that are no number stand as they are. */
function Digits({ value, currency, look }: Omit<Row, 'label' | 'value'> & { readonly value: string }) {
  const decimal = parseDecimal(value)
  const { whole, decimals, finer, unit } =
    decimal === null ? { whole: value, decimals: '', finer: '', unit: '' } : moneyParts(decimal, currency)
  const said = currency === null ? `(${noCurrency})` : ''
  const digits = clsx('num wrap-anywhere font-heading @xs:text-figure text-xl', look)
  return (
    <>
      <span className="sr-only">{[whole, decimals, finer, unit, said && ` ${said}`].join('')}</span>
      <span aria-hidden className={clsx('text-right', digits)}>
        {whole}
      </span>
      <span aria-hidden className={digits}>
        {decimals}
        <span className="font-normal text-faint">{finer}</span>
        {(unit || said) && ' '}
        <span className="inline-block font-normal text-base text-muted">{unit.trim() || said}</span>
      </span>
    </>
  )
}
