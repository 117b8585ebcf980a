import { Card } from '#components/ui/card.tsx'
import { toneIcons } from '#components/ui/pill.tsx'
import { HourTable } from '#components/ui/shared/hour-table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { HourView } from '#lib/operations/overview/figures.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { HoursColumns } from './hours-columns.tsx'

/** The steps of a column come from bottom to top. A step that is not listed lies above them. */
const order = [
  'SUCCESS',
  'REFUNDED',
  'FAILED',
  'LIMIT_BREACHED',
  'ON_HOLD',
  'CRYPTO_TRANSFER_ISSUED',
  'FIAT_TRANSFER_ISSUED',
  'IN_PROGRESS',
  'PENDING',
]

/**
 * The chart shows the transactions that began in each of the last 24 hours, by their present step, with a table of
 * the same numbers.
 */
export function HoursChart({ hours }: { readonly hours: readonly HourView[] }) {
  const steps = stepsOf(hours)
  const highest = Math.max(1, ...hours.map(totalOf))
  const all = hours.reduce((sum, hour) => sum + totalOf(hour), 0)
  return (
    <Card
      title={
        <>
          Started in the last 24 hours: <span className="num">{all.toLocaleString('en')}</span>
        </>
      }
      className="mt-3"
    >
      <figure className="@container">
        <figcaption className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {steps.length === 0 && <span className="text-muted">Nothing started in this time.</span>}
          {steps.map((step) => (
            <LegendEntry key={step} step={step} count={countOf(hours, step)} faint={isFaint(step)} />
          ))}
        </figcaption>
        <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
          <div aria-hidden className="num flex h-36 flex-col justify-between text-right text-2xs text-faint">
            <span>{highest.toLocaleString('en')}</span>
            <span>0</span>
          </div>
          <HoursColumns
            label={`Transactions started in each of the last 24 hours, ${all} in all, at most ${highest}; see the table below`}
            steps={steps.map(drawnStep)}
            hours={hours.map((hour) => ({
              at: hour.at,
              counts: steps.map((step) => hour.steps.get(step) ?? 0),
            }))}
            highest={highest}
          />
          <div
            aria-hidden
            className="num col-start-2 mt-1 flex justify-between gap-1 text-2xs text-faint @max-[16rem]:[&>:nth-child(even)]:hidden"
          >
            {hours
              .filter((_, nth) => nth % 6 === 0)
              .map(({ at }) => (
                <Time key={at} at={at} style="minute" />
              ))}
            <span>now</span>
          </div>
        </div>
      </figure>
      <div className="mt-2">
        <HourTable
          columns={[
            ...steps.map((step) => ({ id: step, label: stepLabel(null, step).label })),
            { id: 'all', label: 'All' },
          ]}
          hours={hours.map((hour) => ({
            at: hour.at,
            counts: [...steps.map((step) => hour.steps.get(step) ?? 0), totalOf(hour)],
          }))}
        />
      </div>
    </Card>
  )
}

function LegendEntry({
  step,
  count,
  faint,
}: {
  readonly step: string
  readonly count: number
  readonly faint: boolean
}) {
  const { label, tone } = stepLabel(null, step)
  const Icon = toneIcons[tone]
  return (
    <span data-tone={tone} className="inline-flex items-center gap-1.5 wrap-anywhere">
      <span
        aria-hidden
        className={faint ? 'size-2.5 rounded-dot bg-tone opacity-55' : 'size-2.5 rounded-dot bg-tone'}
      />
      <Icon className="size-3 text-tone" aria-hidden />
      {label} <span className="num text-muted">{count.toLocaleString('en')}</span>
    </span>
  )
}

function drawnStep(step: string) {
  const { label, tone } = stepLabel(null, step)
  return { id: step, label, tone, isFaint: isFaint(step) }
}

const stepsOf = (hours: readonly HourView[]): string[] => {
  const there = [...new Set(hours.flatMap(({ steps }) => [...steps.keys()]))].sort()
  return [...order.filter((step) => there.includes(step)), ...there.filter((step) => !order.includes(step))]
}

/** Two steps have one colour, and the later one in the order is drawn fainter. */
const isFaint = (step: string) => ['LIMIT_BREACHED', 'IN_PROGRESS'].includes(step)

const countOf = (hours: readonly HourView[], step: string) =>
  hours.reduce((sum, hour) => sum + (hour.steps.get(step) ?? 0), 0)

const totalOf = ({ steps }: HourView) => [...steps.values()].reduce((sum, count) => sum + count, 0)
