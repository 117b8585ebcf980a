/** A delivery has at most seven attempts: the first one and six retries. §6.8 */
export const maxAttempts = 7

/** The sender waits this many seconds before retry `n` (1 to 6). §6.8 */
export const retryDelaySeconds = (n: number): number => n ** 6 + 2

/** ASSUMED: the sender gives up an attempt after this many seconds. */
const timeOutSeconds = 32

/** The waits before retries 1 to 6 are in seconds. */
export const retryWaits: readonly number[] = [1, 2, 3, 4, 5, 6].map(retryDelaySeconds)

/** A span is a run of consecutive waits of the retry schedule. Two attempts of one delivery are a span apart. */
export interface RetrySpan {
  /** The run begins with this retry, 1 to 6. */
  readonly from: number
  /** The run has so many waits, 1 to 6. All but the last of these retries were not seen. */
  readonly retries: number
  /** `waits` is the sum of the waits. The attempt may arrive between `earliest` and `latest`. All are seconds. */
  readonly waits: number
  readonly earliest: number
  readonly latest: number
}

const spans: readonly RetrySpan[] = retryWaits.flatMap((_, start) =>
  retryWaits.slice(start).map((_, more) => retrySpan(start + 1, more + 1)),
)

/** The span is the first wait, for an event whose first attempt reached us: only our answer was lost. */
export const firstWaitAlone: readonly RetrySpan[] = [retrySpan(1, 1)]

/** The match is the span that best explains `seconds` between two equal deliveries on one receiver; null for none. */
export function matchRetrySpan(seconds: number, among = spans): RetrySpan | null {
  let best: RetrySpan | null = null
  for (const run of among) {
    if (seconds < run.earliest || seconds > run.latest) continue
    if (!best || Math.abs(seconds - run.waits) < Math.abs(seconds - best.waits)) best = run
  }
  return best
}

/** `isSingleWait` is true when one attempt can follow another after `seconds`, with no attempt in between. */
export const isSingleWait = (seconds: number, among = spans): boolean =>
  among.some(({ retries, earliest, latest }) => retries === 1 && seconds >= earliest && seconds <= latest)

/** `isSingleWaitOfPatientSender` allows a sender that waits for an answer up to twice as long as assumed: a minute. */
export const isSingleWaitOfPatientSender = (seconds: number, among = spans): boolean =>
  isSingleWait(seconds, among) || isSingleWait(seconds - timeOutSeconds, among)

/**
 * `mayBeRetriesApart` is true when two endpoints can have received one event `seconds` apart, because attempts at the later
 * one failed.
 */
export const mayBeRetriesApart = (seconds: number): boolean =>
  seconds <= slackSeconds(0, 3) || matchRetrySpan(seconds) !== null

/** No retry can arrive earlier than this many seconds after an attempt. */
export const firstRetryEarliestSeconds = retrySpan(1, 1).earliest

/** The first retry can arrive up to this many seconds after the first attempt. */
export const firstRetryLatestSeconds = retrySpan(1, 1).latest

/** The third retry can arrive up to this many seconds after the first attempt: 15 min. */
export const thirdRetryLatestSeconds = retrySpan(1, 3).latest

/** No retry can arrive later than this many seconds after the first attempt: 18 h 40 min, plus slack for time-outs. */
export const retryWindowSeconds = 18 * 3600 + 40 * 60 + slackSeconds(retrySpan(1, 6).waits, 6)

/** `retrySpan` is the run of `retries` waits that begins with the wait before retry `from`. */
export function retrySpan(from: number, retries: number): RetrySpan {
  const waits = retryWaits.slice(from - 1, from - 1 + retries).reduce((sum, wait) => sum + wait, 0)
  return { from, retries, waits, earliest: waits - 2, latest: waits + slackSeconds(waits, retries) }
}

/** ASSUMED: clocks drift by 0.1 %, each attempt may time out after up to 32 s, and the network takes up to 3 s. */
function slackSeconds(waits: number, retries: number): number {
  return waits * 0.001 + timeOutSeconds * retries + 3
}

/**
 * Retries may still arrive for this many seconds after a gap (§6.8). It is null when the gap was so long that the first
 * failed delivery had its last attempt. ASSUMED: an attempt times out after at most 32 s.
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

/** An attempt is a request to one receiver. `at` is in ms since 1970, and `taken` says whether it was accepted. */
export interface Attempt {
  readonly at: number
  readonly taken: boolean
}

/** About this many deliveries are probably sent again at this time, in ms since 1970. */
interface ExpectedRetry {
  readonly at: number
  readonly deliveries: number
}

interface RetryForecast {
  /** The next retry comes first. Retries within a minute are one entry. */
  readonly expected: readonly ExpectedRetry[]
  /** So many deliveries had their seventh attempt, after which none follows. §6.8 */
  readonly givenUp: number
}

/**
 * `forecastRetries` predicts when refused deliveries will be sent again, by the schedule alone (§6.8). A request has no id:
 * it counts as the retry that was due closest to it, else as a first attempt.
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

/** A chain is the probable attempts of one delivery, all of them refused. */
interface Chain {
  readonly last: number
  /** The delivery had so many attempts, 1 to 6. */
  readonly made: number
}

const dueAt = ({ last, made }: Chain) => last + retryDelaySeconds(made) * 1000
const earliest = ({ last, made }: Chain) => last + retrySpan(made, 1).earliest * 1000
const latest = ({ last, made }: Chain) => last + retrySpan(made, 1).latest * 1000

/** All given chains can still have their next attempt at that time. */
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
