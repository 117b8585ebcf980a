/** Attempts of one delivery: the first and six retries. §6.8 */
export const maxAttempts = 7

/** Seconds to wait before retry `n` (1 to 6). §6.8 */
export const retryDelaySeconds = (n: number): number => n ** 6 + 2

/** ASSUMED: seconds after which the sender gives an attempt up. */
const timeOutSeconds = 32

/** The waits before retries 1 to 6, in seconds. */
export const retryWaits: readonly number[] = [1, 2, 3, 4, 5, 6].map(retryDelaySeconds)

/** Some consecutive waits of the retry schedule, and how long after the first attempt the last may arrive. */
export interface RetrySpan {
  /** The first retry of the run, 1 to 6. */
  readonly from: number
  /** How many waits it spans, 1 to 6: all but the last of these retries were not seen. */
  readonly retries: number
  /** Seconds: the sum of the waits, and the earliest and latest that we take for it. */
  readonly waits: number
  readonly earliest: number
  readonly latest: number
}

const spans: readonly RetrySpan[] = retryWaits.flatMap((_, start) =>
  retryWaits.slice(start).map((_, more) => retrySpan(start + 1, more + 1)),
)

/** The run of waits of an event whose first attempt reached us: only the answer to that was lost. */
export const firstWaitAlone: readonly RetrySpan[] = [retrySpan(1, 1)]

/** The run of waits, of all or of some, that best explains `seconds` between two equal deliveries on one receiver, or null. */
export function matchRetrySpan(seconds: number, among = spans): RetrySpan | null {
  let best: RetrySpan | null = null
  for (const run of among) {
    if (seconds < run.earliest || seconds > run.latest) continue
    if (!best || Math.abs(seconds - run.waits) < Math.abs(seconds - best.waits)) best = run
  }
  return best
}

/** Whether one attempt can have followed another after `seconds`, with none in between. */
export const isSingleWait = (seconds: number, among = spans): boolean =>
  among.some(({ retries, earliest, latest }) => retries === 1 && seconds >= earliest && seconds <= latest)

/** The same if the sender waits for an answer up to twice as long as assumed: a minute. */
export const isSingleWaitOfPatientSender = (seconds: number, among = spans): boolean =>
  isSingleWait(seconds, among) || isSingleWait(seconds - timeOutSeconds, among)

/**
 * Whether two endpoints can have received one event `seconds` apart because attempts at the later one failed.
 */
export const mayBeRetriesApart = (seconds: number): boolean =>
  seconds <= slackSeconds(0, 3) || matchRetrySpan(seconds) !== null

/** Sooner than this many seconds after one attempt no retry can be seen. */
export const firstRetryEarliestSeconds = retrySpan(1, 1).earliest

/** Up to this many seconds after one attempt its first retry may be seen. */
export const firstRetryLatestSeconds = retrySpan(1, 1).latest

/** Up to this many seconds after the first attempt its third retry may be seen: 15 min. */
export const thirdRetryLatestSeconds = retrySpan(1, 3).latest

/** Seconds from the first attempt until no retry can come any more: 18 h 40 min and slack for time-outs. */
export const retryWindowSeconds = 18 * 3600 + 40 * 60 + slackSeconds(retrySpan(1, 6).waits, 6)

/** The run of `retries` waits of which the first is that before retry `from`. */
export function retrySpan(from: number, retries: number): RetrySpan {
  const waits = retryWaits.slice(from - 1, from - 1 + retries).reduce((sum, wait) => sum + wait, 0)
  return { from, retries, waits, earliest: waits - 2, latest: waits + slackSeconds(waits, retries) }
}

/** ASSUMED: clocks drift by 0.1 %, each attempt may time out after up to 32 s, and the network takes up to 3 s. */
function slackSeconds(waits: number, retries: number): number {
  return waits * 0.001 + timeOutSeconds * retries + 3
}

/**
 * Seconds after a gap during which retries may still arrive (§6.8); null when the gap was so long that the
 * first failed delivery had its last attempt. ASSUMED: an attempt times out after at most 32 s.
 */
export function retriesAfterGap(seconds: number): number | null {
  let since = 0
  let wait: number | null = null
  for (const next of retryWaits) {
    if (since > seconds) return wait
    wait = next + timeout
    since += next
  }
  return since > seconds ? wait : null
}

const timeout = 32

/** No attempt comes more seconds than this after the one before it. */
export const longestRetryWaitSeconds = retryDelaySeconds(maxAttempts - 1) + timeout

/** A request to one receiver, in ms since 1970, and whether it was taken. */
export interface Attempt {
  readonly at: number
  readonly taken: boolean
}

/** About when, in ms since 1970, how many deliveries are probably sent again. */
interface ExpectedRetry {
  readonly at: number
  readonly deliveries: number
}

interface RetryForecast {
  /** The next first; those that lie within a minute are one. */
  readonly expected: readonly ExpectedRetry[]
  /** How many had their seventh attempt, after which none follows. §6.8 */
  readonly givenUp: number
}

/**
 * When the service will probably send again what was not taken, by the retry schedule alone (§6.8): a request carries no
 * id, so each is taken for the retry of that refused one whose next attempt was due closest to it, else for a first attempt.
 * @param attempts oldest first
 */
export function forecastRetries(attempts: readonly Attempt[], now: number): RetryForecast {
  let open: Chain[] = []
  let givenUp = 0
  for (const { at, taken } of attempts) {
    open = open.filter((chain) => at <= latest(chain))
    const due = closest(open, at)
    open = open.filter((chain) => chain !== due)
    const made = (due?.made ?? 0) + 1
    if (taken) continue
    if (made < maxAttempts) open.push({ last: at, made })
    else givenUp += 1
  }
  const coming = open.filter((chain) => now <= latest(chain)).map((chain) => Math.max(dueAt(chain), now))
  return { expected: byMinute(coming.toSorted((a, b) => a - b)), givenUp }
}

/** What is taken for the attempts of one delivery, none of them taken. */
interface Chain {
  readonly last: number
  /** Attempts so far, 1 to 6. */
  readonly made: number
}

const dueAt = ({ last, made }: Chain) => last + retryDelaySeconds(made) * 1000
const earliest = ({ last, made }: Chain) => last + retrySpan(made, 1).earliest * 1000
const latest = ({ last, made }: Chain) => last + retrySpan(made, 1).latest * 1000

/** All chains given may have their next attempt at that time or later. */
function closest(chains: readonly Chain[], at: number): Chain | null {
  let best: Chain | null = null
  for (const chain of chains) {
    if (at < earliest(chain)) continue
    if (!best || Math.abs(at - dueAt(chain)) < Math.abs(at - dueAt(best))) best = chain
  }
  return best
}

function byMinute(times: readonly number[]): ExpectedRetry[] {
  const groups: ExpectedRetry[] = []
  for (const at of times) {
    const last = groups.at(-1)
    if (last && at - last.at < 60_000)
      groups[groups.length - 1] = { ...last, deliveries: last.deliveries + 1 }
    else groups.push({ at, deliveries: 1 })
  }
  return groups
}
