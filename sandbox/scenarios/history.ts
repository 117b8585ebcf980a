import { retryDelaySeconds } from '../deliveries/retry-schedule.ts'
import type { Envelope } from '../state/event-types.ts'
import { createRandom, type SeededRandom } from '../state/ids.ts'
import { addSeconds } from '../time/clock.ts'
import { cryptoToFiat, type EventPerson, fiatToCrypto, type PersonAccounts } from './bodies.ts'
import { findScenario } from './catalogue.ts'
import { buildTransaction, cryptoToFiatPaths, fiatToCryptoPaths, type PathStep } from './scenario.ts'

type People = readonly [EventPerson, ...EventPerson[]]

interface HistoryRequest {
  readonly people: People
  readonly days: number
  readonly transactions: number
  readonly seed: number
  /** The history ends at this moment. */
  readonly now: Date
}

/**
 * The history holds past deliveries in order of time, the same for the same request. About 85 % of transactions succeed, and
 * some are still in progress. A transaction waiting for verification belongs to somebody unverified. Retries (§6.8) repeat
 * some deliveries, and a later one overtakes others.
 */
export function createHistory({ people, days, transactions, seed, now }: HistoryRequest): PastEvent[] {
  const random = createRandom(seed)
  const seconds = days * 86_400
  const lives = createLives(people, random, { startsAt: addSeconds(now, -seconds), seconds })
  const accounts = new Map(people.map((person) => [person.uuid, accountsIn(lives, person)]))
  const verified = those(people, (person) => isVerified(lives, person))
  const unverified = those(people, (person) => !isVerified(lives, person))
  const payments = Array.from({ length: transactions }, (_, index) => {
    // One transaction in a hundred starts just now, so that the history ends with something in progress.
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

/** The answer holds the people for whom the condition is true, or everybody when it is true for nobody. */
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

/**
 * A delivery mostly arrives once and at once. Sometimes its answer was lost and it came again, or its first attempts did not
 * arrive.
 */
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

/** The path ends at its first hold. */
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

interface PastEvent {
  readonly at: Date
  readonly envelope: Envelope
}

/** A chapter names a scenario, the part of the past after which it begins, and how many events came if it did not end. */
type Chapter = readonly [share: number, scenario: string, events?: number]

/** These people's accounts open at once, and their company passes. */
const smooth: readonly Chapter[] = [
  [0.001, 'kyc-from-the-start'],
  [0.006, 'wallet-created'],
  [0.007, 'fiat-account'],
  [0.01, 'linked-profile'],
  [0.012, 'link-bank-account'],
  [0.02, 'aml'],
  [0.3, 'kyb'],
  [0.33, 'link-bank-account-company'],
  [0.62, 'mail-bounced'],
  [0.81, 'sender-name-mismatch'],
]

/** Most things go wrong first for these people, and their company fails. */
const bumpy: readonly Chapter[] = [
  [0.002, 'kyc-retried'],
  [0.007, 'fiat-account-failed'],
  [0.008, 'linked-profile-failed'],
  [0.009, 'link-bank-account-failed'],
  [0.013, 'wallet-created'],
  [0.014, 'fiat-account'],
  [0.016, 'linked-profile'],
  [0.018, 'link-bank-account'],
  [0.41, 'kyb-failed'],
  [0.44, 'entity-suspended'],
  [0.57, 'fiat-account-disabled'],
  [0.72, 'duplicate-user'],
  [0.88, 'aml-failed'],
]

/** These people's verification failed once and was not tried again. */
const unverified: readonly Chapter[] = [
  [0.001, 'kyc-retried', 2],
  [0.006, 'wallet-created'],
  [0.007, 'fiat-account'],
  [0.01, 'linked-profile'],
  [0.012, 'link-bank-account'],
]

const lives = [smooth, bumpy, unverified] as const

/** People have their accounts and verification by this part of the past, and their transactions need both. */
const settledAfter = 0.03

/**
 * A life holds the events of a person, their accounts and companies beside their transactions. People take the lives in
 * turn.
 */
function createLives(
  people: readonly EventPerson[],
  random: SeededRandom,
  { startsAt, seconds }: { readonly startsAt: Date; readonly seconds: number },
): PastEvent[] {
  return people.flatMap((person, index) =>
    (lives[index % lives.length] ?? smooth).flatMap(([share, name, events]) =>
      createChapter(name, person, random, addSeconds(startsAt, share * seconds)).slice(0, events),
    ),
  )
}

function createChapter(name: string, person: EventPerson, random: SeededRandom, startsAt: Date): PastEvent[] {
  const played = findScenario(name)?.build(person, random, startsAt)
  // People and banks take minutes where a scenario takes seconds.
  const pace = played?.transactionUuid ? 1 : 12
  let at = startsAt
  return (played?.steps ?? []).map(({ afterSeconds, envelope }) => {
    at = addSeconds(at, Math.round(afterSeconds * pace * (0.7 + random.fraction() * 0.8)))
    return { at, envelope }
  })
}

/** The answer is true when the person is verified after these events. */
const isVerified = (events: readonly PastEvent[], { uuid }: Pick<EventPerson, 'uuid'>): boolean =>
  events.findLast(({ envelope }) => envelope.type === 'KYC' && envelope.uuid === uuid)?.envelope.data
    .status === 'FULL_USER'

/** The answer holds the person's accounts in use after these events. */
function accountsIn(events: readonly PastEvent[], { uuid }: Pick<EventPerson, 'uuid'>): PersonAccounts {
  const last = new Map<string, Envelope>()
  for (const { envelope } of events)
    if (envelope.uuid === uuid) last.set(`${envelope.type} ${envelope.data.uuid}`, envelope)
  const active = (type: Envelope['type']) => {
    const found = [...last.values()].find((one) => one.type === type && one.data.status === 'ACTIVE')
    return typeof found?.data.uuid === 'string' ? found.data.uuid : undefined
  }
  return { own: active('unblockBankAccount'), linked: active('linkBankAccount') }
}
