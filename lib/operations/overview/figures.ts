import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { paceAt, quarterMs, secondsOfPace } from '../rules/figures.ts'

/** What the overview says in numbers, for the last day and the last seven, each beside the same time before. */
export interface FiguresView {
  readonly day: Compared
  readonly week: Compared
  /** Transactions that have not finished: now, a day ago and a week ago. */
  readonly inFlight: { readonly now: number; readonly dayAgo: number; readonly weekAgo: number }
  /** The last 24 hours, the earliest first: how many began in each, by the step at which they stand now. */
  readonly hours: readonly HourView[]
}

interface Compared {
  readonly now: PeriodView
  readonly before: PeriodView
}

export interface PeriodView {
  /** Fiat amounts of transactions that came through, by direction and currency, the most of them first. */
  readonly volume: readonly VolumeView[]
  /** How many finished, and how many of these came through. */
  readonly finished: number
  readonly succeeded: number
  /** From creation to outcome, of those that came through; right to a twentieth. Null when there were none. */
  readonly medianSeconds: number | null
  readonly p95Seconds: number | null
}

export interface VolumeView {
  readonly direction: string
  /** Empty where none was named. */
  readonly currency: string
  /** Digits. */
  readonly amount: string
  readonly count: number
}

export interface HourView {
  /** Its beginning, ISO 8601. */
  readonly at: string
  /** How many, by step. */
  readonly steps: ReadonlyMap<string, number>
}

const log = logOf('overview')

/** Milliseconds after which they are summed anew, and for which a page is given those from before meanwhile. */
const freshMs = 10_000
const keptMs = 60_000

interface Kept {
  readonly figures: Promise<FiguresView>
  readonly at: number
}

/** The latest that are there, and those that are being summed: the same for everybody. */
let kept: Kept | null = null
let coming: Kept | null = null

/**
 * The figures of the overview. Who asks when they are older than ten seconds has them summed anew, and waits for that only when
 * they are older than a minute. Throws `NotAllowed`.
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
 * The figures of the last day and week, to a quarter of an hour; times to done to an hour. They are summed of counts: what they
 * cost depends on the time that they are of, not on how many transactions there are.
 * @param now in ms since 1970
 */
export async function sumFigures(now: number): Promise<FiguresView> {
  const newest = now - (now % quarterMs)
  const [counts, hours] = await Promise.all([
    pool().query<CountRow>(COUNTS, [new Date(newest)]),
    pool().query<HourRow>(HOURS, [new Date(newest - (newest % hourMs) - dayMs + hourMs)]),
  ])
  const open = sum(counts.rows, ({ sort }) => sort === 'open', 'open')
  const inFlightAgo = (period: Period) =>
    open - sum(counts.rows, ofSort('started'), period) + sum(counts.rows, ofSort('finished'), period)
  return {
    day: { now: periodOf(counts.rows, 'day'), before: periodOf(counts.rows, 'day_before') },
    week: { now: periodOf(counts.rows, 'week'), before: periodOf(counts.rows, 'week_before') },
    inFlight: { now: open, dayAgo: inFlightAgo('day'), weekAgo: inFlightAgo('week') },
    hours: hoursOf(hours.rows, newest - (newest % hourMs)),
  }
}

type Period = 'day' | 'day_before' | 'week' | 'week_before'

/** Sums by what is told apart: how many in each period, and their amounts. */
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
  (sort: string) =>
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

/** The parts of time that each period is made of. */
const partsOf = {
  day: `('day')`,
  day_before: `('day before')`,
  week: `('day', 'day before', 'rest of the week')`,
  week_before: `('week before')`,
} as const satisfies Record<Period, string>

/** Each count is added up once, by the part of time that it lies in. `$1` is the newest quarter, which belongs to its day. */
const COUNTS = `
  WITH counted AS MATERIALIZED (
    SELECT sort, direction, step, currency, pace,
      CASE WHEN at = 'epoch' THEN 'open'
           WHEN at > $1::timestamptz - interval '1 day' THEN 'day'
           WHEN at > $1::timestamptz - interval '2 days' THEN 'day before'
           WHEN at > $1::timestamptz - interval '7 days' THEN 'rest of the week'
           ELSE 'week before' END AS part,
      sum(count::int) AS count, COALESCE(sum(amount) FILTER (WHERE amount <> 0), 0) AS amount
    FROM transaction_count WHERE at > $1::timestamptz - interval '14 days' OR at = 'epoch'
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
  SELECT date_trunc('hour', at) AS at, step, sum(count)::float8 AS count
  FROM transaction_count WHERE at >= $1 AND sort = 'started'
  GROUP BY 1, 2 HAVING sum(count) > 0`
