import { maxAttempts, retryDelaySeconds, retrySpan } from './retry-schedule.ts'

/** A request to one receiver, in ms since 1970, and whether it was taken. */
export interface Attempt {
  readonly at: number
  readonly taken: boolean
}

/** About when, in ms since 1970, how many deliveries are probably sent again. */
export interface ExpectedRetry {
  readonly at: number
  readonly deliveries: number
}

export interface RetryForecast {
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
