/** Transactions are counted by quarters of an hour; in ms. */
export const quarterMs = 15 * 60_000

const hourMs = 60 * 60_000

/** Only younger times are counted: the overview compares the last seven days with the seven before. In ms. */
const countedMs = 20 * 24 * 60 * 60_000

/** Durations are counted in steps of a tenth, so they are exact to a twentieth. */
const stepOfPace = 1.1

/** The step in which a duration is counted; anything below a tenth of a second counts as a tenth. */
export const paceOfSeconds = (seconds: number): number =>
  Math.floor(Math.log(Math.max(seconds, 0.1)) / Math.log(stepOfPace))

/**
 * `current` counts every transaction, `open` those that have not finished; both at the time 0. Those that had ended before
 * their last outcome are counted then (`ended`), and once more when they finished (`ended-again`).
 */
export type CountSort = 'current' | 'open' | 'started' | 'finished' | 'ended' | 'ended-again' | 'pace'

/** One row of `transaction_count`, and what is added to it. */
export interface TransactionCount {
  /** ISO 8601. */
  readonly at: string
  readonly sort: CountSort
  readonly direction: string
  readonly step: string
  readonly currency: string
  readonly pace: number
  readonly count: number
  /** Decimal digits, for each of `count`. */
  readonly amount: string
}

/** These columns of `transaction` are counted. Times are ISO 8601. */
export interface CountedRow {
  readonly direction: string | null
  readonly step: string | null
  readonly currency_fiat: string | null
  /** Decimal digits. */
  readonly amount_fiat: string | null
  readonly details: {
    readonly endedAt?: string | null | undefined
    readonly durationSeconds?: number | null | undefined
  }
  readonly started_at: string
  readonly finished_at: string | null
}

/** The counts change by this when the old rows are replaced by the new ones. `now` is in ms since 1970. */
export function changesOfCounts(
  before: readonly CountedRow[],
  after: readonly CountedRow[],
  now: number,
): TransactionCount[] {
  const changes = new Map<string, TransactionCount>()
  const add = (rows: readonly CountedRow[], sign: number) => {
    for (const one of rows.flatMap((row) => countsOf(row, now))) {
      const key = JSON.stringify(one)
      changes.set(key, { ...one, count: (changes.get(key)?.count ?? 0) + sign })
    }
  }
  add(before, -1)
  add(after, 1)
  return [...changes.values()].filter(({ count }) => count !== 0)
}

function countsOf(row: CountedRow, now: number): TransactionCount[] {
  const counts: TransactionCount[] = []
  const everywhere = {
    direction: row.direction ?? '',
    step: row.step ?? '',
    currency: '',
    pace: 0,
    amount: '0',
  }
  const count = (sort: CountSort, ms: number, more: Partial<typeof everywhere> = {}) =>
    counts.push({ at: new Date(ms).toISOString(), sort, ...everywhere, ...more, count: 1 })
  const isRecent = (ms: number) => ms > now - countedMs
  const started = Date.parse(row.started_at)
  const finished = row.finished_at === null ? null : Date.parse(row.finished_at)
  const seconds = row.details.durationSeconds ?? null
  count('current', 0)
  if (isRecent(started)) count('started', started - (started % quarterMs))
  if (finished === null) count('open', 0)
  else if (isRecent(finished)) {
    const isDone = row.step === 'SUCCESS'
    const currency = (row.currency_fiat ?? '').slice(0, 20).toWellFormed().toUpperCase()
    const amount = isDone ? (row.amount_fiat ?? '0') : '0'
    const ended = Date.parse(row.details.endedAt ?? '')
    if (!Number.isNaN(ended)) count('ended-again', finished - (finished % quarterMs), { step: '' })
    if (isRecent(ended)) count('ended', ended - (ended % quarterMs), { step: '' })
    count('finished', finished - (finished % quarterMs), { currency, amount })
    if (isDone && seconds !== null)
      count('pace', finished - (finished % hourMs), { step: '', pace: paceOfSeconds(seconds) })
  }
  return counts
}

/** The result is the middle of a step, in seconds. */
export const secondsOfPace = (pace: number): number => stepOfPace ** (pace + 0.5)

/**
 * `paceAt` returns the step within which a share of all were done; null when there were none.
 * @param counts the number of durations in each step
 * @param share 0 to 1: 0.5 for the median
 */
export function paceAt(counts: ReadonlyMap<number, number>, share: number): number | null {
  const paces = [...counts].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b)
  const all = paces.reduce((sum, [, count]) => sum + count, 0)
  let sum = 0
  for (const [pace, count] of paces) {
    sum += count
    if (sum >= all * share) return pace
  }
  return null
}
