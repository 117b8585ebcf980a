import { retryDelaySeconds } from '../deliveries/retry-schedule.ts'
import type { Envelope } from '../state/event-types.ts'
import { createRandom, type SeededRandom } from '../state/random.ts'
import { addSeconds } from '../time/clock.ts'
import { cryptoToFiat, type EventPerson, fiatToCrypto } from './bodies.ts'
import { cryptoToFiatPaths, fiatToCryptoPaths, type PathStep } from './paths.ts'
import { buildTransaction } from './scenario.ts'

export interface HistoryRequest {
  readonly people: readonly [EventPerson, ...EventPerson[]]
  readonly days: number
  readonly transactions: number
  readonly seed: number
  /** The end of the history; nothing lies after it. */
  readonly now: Date
}

/** A delivery as it would have arrived. */
export interface PastDelivery {
  readonly at: Date
  readonly envelope: Envelope
}

/**
 * Deliveries of past transactions in order of time, the same for the same request: about 85 % successful, some still
 * under way at the end, some repeated by retries (§6.8) or overtaken by a later one.
 */
export function createHistory({ people, days, transactions, seed, now }: HistoryRequest): PastDelivery[] {
  const random = createRandom(seed)
  const span = days * 86_400
  const deliveries = Array.from({ length: transactions }, (_, index) => {
    // The last one in a hundred started just now, so that the history ends with something in flight.
    const secondsAgo = index % 100 === 99 ? 3 + random.fraction() * 50 : random.fraction() * span
    return createTransaction(random.pick(people), random, addSeconds(now, -secondsAgo))
  })
  return deliveries
    .flat()
    .filter((delivery) => delivery.at <= now)
    .sort((a, b) => a.at.getTime() - b.at.getTime())
}

function createTransaction(person: EventPerson, random: SeededRandom, startsAt: Date): PastDelivery[] {
  const toCrypto = random.chance(0.6)
  const path = toCrypto ? choose(random, fiatToCryptoChances) : choose(random, cryptoToFiatChances)
  const belowLimit = path === cryptoToFiatPaths.limitBreached
  const transaction = toCrypto ? fiatToCrypto(person, random) : cryptoToFiat(person, random, { belowLimit })
  let at = startsAt
  return buildTransaction(transaction, path).steps.flatMap(({ afterSeconds, envelope }) => {
    at = addSeconds(at, Math.round(afterSeconds * (0.7 + random.fraction() * 0.8) * 1000) / 1000)
    return arrivals(random, at).map((arrival) => ({ at: arrival, envelope }))
  })
}

/** Mostly once and at once; sometimes the answer was lost and it came again, or the first attempts did not arrive. */
function arrivals(random: SeededRandom, at: Date): Date[] {
  const fate = random.fraction()
  const retried = addSeconds(at, retryDelaySeconds(1) + random.fraction())
  if (fate < 0.015) return [at, retried]
  if (fate < 0.03) return [retried]
  if (fate < 0.037) return [addSeconds(retried, retryDelaySeconds(2) + random.fraction())]
  return [at]
}

const fiatToCryptoChances: Chances = [
  [0.84, fiatToCryptoPaths.success],
  [0.04, fiatToCryptoPaths.held],
  [0.03, fiatToCryptoPaths.onHold],
  [0.05, fiatToCryptoPaths.failed],
  [0.04, fiatToCryptoPaths.refunded],
]

const cryptoToFiatChances: Chances = [
  [0.83, cryptoToFiatPaths.success],
  [0.03, cryptoToFiatPaths.held],
  [0.02, cryptoToFiatPaths.onHold],
  [0.05, cryptoToFiatPaths.failed],
  [0.04, cryptoToFiatPaths.limitBreached],
  [0.03, cryptoToFiatPaths.refunded],
]

type Chances = readonly [Chance, ...Chance[]]
type Chance = readonly [probability: number, path: PathStep[]]

function choose(random: SeededRandom, chances: Chances): PathStep[] {
  let left = random.fraction()
  for (const [probability, path] of chances) {
    left -= probability
    if (left < 0) return path
  }
  return chances[0][1]
}
