import { retryDelaySeconds } from '../deliveries/retry-schedule.ts'
import { createRandom, type SeededRandom } from '../state/random.ts'
import { addSeconds } from '../time/clock.ts'
import { cryptoToFiat, type EventPerson, fiatToCrypto, type PersonAccounts } from './bodies.ts'
import { accountsIn, createLives, isVerified, type PastEvent, settledAfter } from './past-lives.ts'
import { cryptoToFiatPaths, fiatToCryptoPaths, type PathStep } from './paths.ts'
import { buildTransaction } from './scenario.ts'

type People = readonly [EventPerson, ...EventPerson[]]

export interface HistoryRequest {
  readonly people: People
  readonly days: number
  readonly transactions: number
  readonly seed: number
  /** The end of the history; nothing lies after it. */
  readonly now: Date
}

/**
 * Deliveries of the past in order of time, the same for the same request: what happened to people, accounts and companies
 * (`past-lives.ts`), and their transactions, about 85 % successful and some still under way at the end. What waits for a
 * verification at the end is of whoever is not verified, all else of the others. Some deliveries are repeated by retries (§6.8)
 * or overtaken by a later one.
 */
export function createHistory({ people, days, transactions, seed, now }: HistoryRequest): PastEvent[] {
  const random = createRandom(seed)
  const seconds = days * 86_400
  const lives = createLives(people, random, { startsAt: addSeconds(now, -seconds), seconds })
  const accounts = new Map(people.map((person) => [person.uuid, accountsIn(lives, person)]))
  const verified = those(people, (person) => isVerified(lives, person))
  const unverified = those(people, (person) => !isVerified(lives, person))
  const payments = Array.from({ length: transactions }, (_, index) => {
    // The last one in a hundred started just now, so that the history ends with something in flight.
    const justNow = index % 100 === 99
    const secondsAgo = justNow ? 3 + random.fraction() * 50 : random.fraction() * seconds * (1 - settledAfter)
    const toCrypto = random.chance(0.6)
    const path = choose(random, toCrypto ? fiatToCryptoChances : cryptoToFiatChances)
    const person = random.pick(path.at(-1)?.status === 'ON_HOLD_KYC' ? unverified : verified)
    const given = { toCrypto, path, person, accounts: accounts.get(person.uuid) ?? {} }
    return createTransaction(given, random, addSeconds(now, -secondsAgo))
  })
  return [...lives, ...payments.flat()]
    .flatMap(({ at, envelope }) => arrivals(random, at).map((arrival) => ({ at: arrival, envelope })))
    .filter((delivery) => delivery.at <= now)
    .sort((a, b) => a.at.getTime() - b.at.getTime())
}

/** Those of whom it is true; everybody where it is true of nobody. */
function those(people: People, holds: (person: EventPerson) => boolean): People {
  const [first, ...others] = people.filter(holds)
  return first ? [first, ...others] : people
}

interface Given {
  readonly toCrypto: boolean
  readonly path: PathStep[]
  readonly person: EventPerson
  readonly accounts: PersonAccounts
}

function createTransaction(
  { toCrypto, path, person, accounts }: Given,
  random: SeededRandom,
  startsAt: Date,
): PastEvent[] {
  const belowLimit = path === cryptoToFiatPaths.limitBreached
  const transaction = toCrypto
    ? fiatToCrypto(person, random, { accounts })
    : cryptoToFiat(person, random, { belowLimit, accounts })
  let at = startsAt
  return buildTransaction(transaction, path).steps.map(({ afterSeconds, envelope }) => {
    at = addSeconds(at, Math.round(afterSeconds * (0.7 + random.fraction() * 0.8) * 1000) / 1000)
    return { at, envelope }
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
  [0.015, fiatToCryptoPaths.onHold],
  [0.015, upToHold(fiatToCryptoPaths.held)],
  [0.05, fiatToCryptoPaths.failed],
  [0.04, fiatToCryptoPaths.refunded],
]

const cryptoToFiatChances: Chances = [
  [0.83, cryptoToFiatPaths.success],
  [0.03, cryptoToFiatPaths.held],
  [0.01, cryptoToFiatPaths.onHold],
  [0.01, upToHold(cryptoToFiatPaths.held)],
  [0.05, cryptoToFiatPaths.failed],
  [0.04, cryptoToFiatPaths.limitBreached],
  [0.03, cryptoToFiatPaths.refunded],
]

/** A path that stands at its first hold. */
function upToHold(path: PathStep[]): PathStep[] {
  return path.slice(0, path.findIndex(({ subType }) => subType === 'ON_HOLD') + 1)
}

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
