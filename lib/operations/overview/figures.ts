import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { type CountSort, paceAt, quarterMs, secondsOfPace } from '#lib/timeline/rules/transaction-counts.ts'

/** The figures of the overview cover the last day and the last seven days, each beside the period before. */
export interface FiguresView {
  readonly day: Compared
  readonly week: Compared
  /** The numbers count transactions that had not finished: now, a day ago and a week ago. */
  readonly inFlight: { readonly now: number; readonly dayAgo: number; readonly weekAgo: number }
  /**
   * The last 24 hours are listed from the earliest on. Each counts the transactions that began in it, by their present
   * step.
   */
  readonly hours: readonly HourView[]
}

interface Compared {
  readonly now: PeriodView
  readonly before: PeriodView
}

export interface PeriodView {
  /** The volume sums the fiat amounts of successful transactions by direction and currency, the most frequent first. */
  readonly volume: readonly VolumeView[]
  /** `finished` counts the finished transactions, and `succeeded` the successful ones among them. */
  readonly finished: number
  readonly succeeded: number
  /**
   * The durations run from creation to outcome of successful transactions, with an error of at most a twentieth. They
   * are null without any.
   */
  readonly medianSeconds: number | null
  readonly p95Seconds: number | null
}

export interface VolumeView {
  readonly direction: string
  /** The currency is empty when none was given. */
  readonly currency: string
  /** The amount is a text of digits. */
  readonly amount: string
  readonly count: number
}

export interface HourView {
  /** The time is the beginning of the hour, ISO 8601. */
  readonly at: string
  /** The map counts transactions by step. */
  readonly steps: ReadonlyMap<string, number>
}

const log = logOf('overview')

/**
 * Figures are computed again after `freshMs` milliseconds. Meanwhile pages get the old ones, up to `keptMs`
 * milliseconds old.
 */
const freshMs = 10_000
const keptMs = 60_000

interface Kept {
  readonly figures: Promise<FiguresView>
  readonly at: number
}

/** `kept` has the latest figures, and `coming` those being computed. They are the same for all callers. */
let kept: Kept | null = null
let coming: Kept | null = null

/**
 * `readFigures` returns the figures of the overview. Figures older than ten seconds are computed again. The caller
 * waits for that only when they are older than a minute. It throws `NotAllowed`.
 */
export async function readFigures(caller: Caller, sum = sumFigures): Promise<FiguresView> {
  requirePermission(caller, 'see-everything')
  const now = performance.now()
  if (kept && now - kept.at < freshMs) return kept.figures
  const next = coming ?? begin(sum, now)
  return kept && now - kept.at < keptMs ? kept.figures : next.figures
}

function begin(sum: typeof sumFigures, at: number): Kept {
  const next: Kept = { figures: sum(Date.now()), at }
  coming = next
  next.figures
    .then(() => {
      kept = next
    })
    .catch(noting(log)('warn', 'The figures of the overview were not summed'))
    .finally(() => {
      coming = null
    })
  return next
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * `sumFigures` computes the figures of the last day and week in steps of a quarter of an hour, and durations in steps
 * of an hour. It sums counts, so its cost depends on the period and not on the number of transactions. A transaction
 * that only other events have named is left out: nobody knows whether it began.
 * @param now in ms since 1970
 */
export async function sumFigures(now: number): Promise<FiguresView> {
  const newest = now - (now % quarterMs)
  const [counts, hours] = await Promise.all([
    pool().query<CountRow>(COUNTS, [new Date(newest)]),
    pool().query<HourRow>(HOURS, [new Date(newest - (newest % hourMs) - dayMs + hourMs)]),
  ])
  const open = sum(counts.rows, ({ sort }) => sort === 'open', 'open')
  const inFlightAgo = (period: Period) => {
    const of = (sort: CountSort) => sum(counts.rows, ofSort(sort), period)
    return open - of('started') + of('finished') - of('ended-again') + of('ended')
  }
  return {
    day: { now: periodOf(counts.rows, 'day'), before: periodOf(counts.rows, 'day_before') },
    week: { now: periodOf(counts.rows, 'week'), before: periodOf(counts.rows, 'week_before') },
    inFlight: { now: open, dayAgo: inFlightAgo('day'), weekAgo: inFlightAgo('week') },
    hours: hoursOf(hours.rows, newest - (newest % hourMs)),
  }
}

type Period = 'day' | 'day_before' | 'week' | 'week_before'

/** A row has the counts and amounts of each period for one combination of the other columns. */
type CountRow = {
  readonly sort: string
  readonly direction: string
  readonly step: string
  readonly currency: string
  readonly pace: number
  readonly open: number
} & { readonly [Name in Period]: number } & { readonly [Name in `${Period}_amount`]: string }

interface HourRow {
  readonly at: Date
  readonly step: string
  readonly count: number
}

const ofSort =
  (sort: CountSort) =>
  (row: CountRow): boolean =>
    row.sort === sort

const sum = (rows: readonly CountRow[], belongs: (row: CountRow) => boolean, period: Period | 'open') =>
  rows.filter(belongs).reduce((all, row) => all + row[period], 0)

function periodOf(rows: readonly CountRow[], period: Period): PeriodView {
  const succeeded = rows.filter(({ sort, step }) => sort === 'finished' && step === 'SUCCESS')
  const paces = new Map<number, number>()
  for (const row of rows.filter(ofSort('pace'))) paces.set(row.pace, (paces.get(row.pace) ?? 0) + row[period])
  const seconds = (share: number) => {
    const pace = paceAt(paces, share)
    return pace === null ? null : secondsOfPace(pace)
  }
  return {
    volume: succeeded.flatMap((row) => volumeOf(row, period)).toSorted((a, b) => b.count - a.count),
    finished: sum(rows, ofSort('finished'), period),
    succeeded: sum(succeeded, () => true, period),
    medianSeconds: seconds(0.5),
    p95Seconds: seconds(0.95),
  }
}

function volumeOf(row: CountRow, period: Period): VolumeView[] {
  const { direction, currency } = row
  if (row[period] <= 0) return []
  return [{ direction, currency, amount: row[`${period}_amount`], count: row[period] }]
}

function hoursOf(rows: readonly HourRow[], last: number): HourView[] {
  const byHour = Map.groupBy(rows, ({ at }) => at.getTime())
  return Array.from({ length: 24 }, (_, i) => last - (23 - i) * hourMs).map((at) => ({
    at: new Date(at).toISOString(),
    steps: new Map((byHour.get(at) ?? []).map(({ step, count }) => [step, count])),
  }))
}

/** Each period consists of these parts of time. */
const partsOf = {
  day: `('day')`,
  day_before: `('day before')`,
  week: `('day', 'day before', 'rest of the week')`,
  week_before: `('week before')`,
} as const satisfies Record<Period, string>

/** The query adds up each count once, by its part of time. `$1` is the newest quarter, which belongs to its day. */
const COUNTS = `
  WITH counted AS MATERIALIZED (
    SELECT sort, direction, step, currency, pace,
      CASE WHEN at = 'epoch' THEN 'open'
           WHEN at > $1::timestamptz - interval '1 day' THEN 'day'
           WHEN at > $1::timestamptz - interval '2 days' THEN 'day before'
           WHEN at > $1::timestamptz - interval '7 days' THEN 'rest of the week'
           ELSE 'week before' END AS part,
      sum(count::int) AS count, COALESCE(sum(amount) FILTER (WHERE amount <> 0), 0) AS amount
    FROM transaction_count
    WHERE direction <> '' AND (at > $1::timestamptz - interval '14 days' OR at = 'epoch' AND sort = 'open')
    GROUP BY sort, direction, step, currency, pace, part
  )
  SELECT sort, direction, step, currency, pace::int AS pace,
    COALESCE(sum(count) FILTER (WHERE part = 'open'), 0)::float8 AS open,
    ${Object.entries(partsOf)
      .flatMap(([name, parts]) => [
        `COALESCE(sum(count) FILTER (WHERE part IN ${parts}), 0)::float8 AS ${name}`,
        `COALESCE(sum(amount) FILTER (WHERE part IN ${parts}), 0)::text AS ${name}_amount`,
      ])
      .join(', ')}
  FROM counted GROUP BY sort, direction, step, currency, pace`

const HOURS = `
  SELECT date_trunc('hour', at, 'UTC') AS at, step, sum(count)::float8 AS count
  FROM transaction_count WHERE direction <> '' AND at >= $1 AND sort = 'started'
  GROUP BY 1, 2 HAVING sum(count) > 0`
