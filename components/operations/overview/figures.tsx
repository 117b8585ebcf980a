import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { toneIcons } from '#components/ui/pill.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { HourTable } from '#components/ui/shared/hour-table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { FiguresView, HourView, PeriodView, VolumeView } from '#lib/operations/overview/figures.ts'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { formatShare } from '#lib/words/labels/formats.ts'
import { formatMoney } from '#lib/words/labels/money.ts'
import { HoursColumns } from './hours-columns.tsx'

const periods = {
  day: { name: '24 hours', before: 'The 24 hours before', ago: 'a day ago' },
  week: { name: '7 days', before: 'The 7 days before', ago: 'a week ago' },
} as const

export type FiguresPeriod = keyof typeof periods

/** Four figures describe the payments, each beside the same time before. */
export function Figures({
  figures,
  period,
  hrefOf,
}: {
  readonly figures: FiguresView
  readonly period: FiguresPeriod
  readonly hrefOf: Readonly<Record<FiguresPeriod, string>>
}) {
  const { now, before } = figures[period]
  const words = periods[period]
  const ago = period === 'day' ? figures.inFlight.dayAgo : figures.inFlight.weekAgo
  return (
    <section aria-labelledby="figures" className="mt-8 grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="figures" className="font-heading text-base">
          Payments
        </h2>
        <Segmented
          name="Time"
          segments={(['day', 'week'] as const).map((each) => ({
            key: each,
            label: periods[each].name,
            href: hrefOf[each],
            chosen: each === period,
          }))}
        />
      </div>
      <Card>
        <dl className="grid gap-px bg-line @xl/main:grid-cols-2 @min-[60rem]/main:grid-cols-[1.6fr_1fr_1.2fr_1fr]">
          <Figure name="Completed volume">
            <Volume now={now} before={before} />
          </Figure>
          <Figure name="Success rate">
            <Value>{shareOf(now)}</Value>
            <Before>
              {now.succeeded.toLocaleString('en')} of {now.finished.toLocaleString('en')} finished.{' '}
              {words.before}: {shareOf(before)} of {before.finished.toLocaleString('en')}
            </Before>
          </Figure>
          <Figure name="Time to complete">
            <Value>{durationOf(now.medianSeconds)}</Value>
            <Before>
              Median; 95th percentile {durationOf(now.p95Seconds)}. {words.before}:{' '}
              {durationOf(before.medianSeconds)} and {durationOf(before.p95Seconds)}
            </Before>
          </Figure>
          <Figure name="In flight now">
            <Value>{figures.inFlight.now.toLocaleString('en')}</Value>
            <Before>
              {ago.toLocaleString('en')} {words.ago}
            </Before>
          </Figure>
        </dl>
      </Card>
    </section>
  )
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0 bg-surface px-4 py-3.5">
      <dt className="font-label text-muted text-xs">{name}</dt>
      {children}
    </div>
  )
}

const Value = ({ children }: { readonly children: ReactNode }) => (
  <dd className="num mt-1 font-heading text-xl">{children}</dd>
)

const Before = ({ children }: { readonly children: ReactNode }) => (
  <dd className="mt-1 text-muted text-sm">{children}</dd>
)

/** Each direction and currency has a row, also when it has a volume only before. */
function Volume({ now, before }: { readonly now: PeriodView; readonly before: PeriodView }) {
  const gone = before.volume.filter((one) => !now.volume.some((other) => isLike(one, other)))
  const rows = [...now.volume, ...gone.map((one) => ({ ...one, amount: '0', count: 0 }))]
  if (rows.length === 0) return <Before>Nothing was completed in this period or the one before.</Before>
  return (
    <dd className="mt-1.5 grid grid-cols-[repeat(auto-fit,minmax(min(100%,8.5rem),1fr))] gap-x-4 gap-y-1.5">
      {rows.map((row) => {
        const direction = ownValue(directionWords, row.direction) ?? row.direction
        const then = before.volume.find((one) => isLike(one, row))
        return (
          <p key={`${row.direction} ${row.currency}`}>
            <span className="num block font-strong text-lg">{moneyOf(row)}</span>{' '}
            <span className="block text-muted text-sm">
              {row.count.toLocaleString('en')} {direction} · previous period{' '}
              <span className="num">{then ? moneyOf(then) : moneyOf({ ...row, amount: '0' })}</span>
            </span>
          </p>
        )
      })}
    </dd>
  )
}

const directionWords: Readonly<Record<string, string>> = {
  fiatToCrypto: 'to stablecoin',
  cryptoToFiat: 'to fiat',
}

const isLike = (one: VolumeView, other: VolumeView) =>
  one.direction === other.direction && one.currency === other.currency

function moneyOf({ amount, currency }: Pick<VolumeView, 'amount' | 'currency'>): string {
  const decimal = parseDecimal(amount)
  return decimal === null ? amount : formatMoney(decimal, currency === '' ? null : currency)
}

const shareOf = ({ finished, succeeded }: PeriodView) => formatShare(succeeded, finished)

/** The duration is known to about 5 percent. */
const durationOf = (seconds: number | null) =>
  seconds === null ? '–' : formatDuration(Number(seconds.toPrecision(2)))

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
  const highest = Math.max(0, ...hours.map(totalOf))
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
            <span>{highest > 0 && highest.toLocaleString('en')}</span>
            <span>0</span>
          </div>
          <HoursColumns
            label={`Transactions started in each of the last 24 hours, ${all} in all, at most ${highest}; see the table below`}
            steps={steps.map(drawnStep)}
            hours={hours.map((hour) => ({
              at: hour.at,
              counts: steps.map((step) => hour.steps.get(step) ?? 0),
            }))}
            highest={highest || 1}
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
