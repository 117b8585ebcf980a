import 'server-only'

/** What the overview says in numbers, for the last day and the last seven, each beside the same time before. */
export interface FiguresView {
  readonly day: Compared
  readonly week: Compared
  /** Transactions that have not finished: now, a day ago and a week ago. */
  readonly inFlight: { readonly now: number; readonly dayAgo: number; readonly weekAgo: number }
  /** The last 24 hours, the earliest first: how many began in each, by the step at which they stand now. */
  readonly hours: readonly HourView[]
}

export interface Compared {
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
