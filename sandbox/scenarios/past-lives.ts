import type { Envelope } from '../state/event-types.ts'
import type { SeededRandom } from '../state/random.ts'
import { addSeconds } from '../time/clock.ts'
import type { EventPerson, PersonAccounts } from './bodies.ts'
import { findScenario } from './catalogue.ts'

/** An event as it was sent. */
export interface PastEvent {
  readonly at: Date
  readonly envelope: Envelope
}

/** A scenario, after which part of the past it began, and how many of its events came where it was not ended. */
type Chapter = readonly [share: number, scenario: string, events?: number]

/** Somebody whose accounts open at once, and whose company passes. */
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

/** Somebody with whom most things go wrong first, and whose company fails. */
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

/** Somebody whose verification failed once and was not tried again. */
const unverified: readonly Chapter[] = [
  [0.001, 'kyc-retried', 2],
  [0.006, 'wallet-created'],
  [0.007, 'fiat-account'],
  [0.01, 'linked-profile'],
  [0.012, 'link-bank-account'],
]

const lives = [smooth, bumpy, unverified] as const

/** By then people have accounts, and whoever becomes verified is: what transactions wait for. */
export const settledAfter = 0.03

/** What happened to people, their accounts and companies, beside their transactions: each life by turns. */
export function createLives(
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

/** Whether these events leave somebody verified. */
export const isVerified = (events: readonly PastEvent[], { uuid }: Pick<EventPerson, 'uuid'>): boolean =>
  events.findLast(({ envelope }) => envelope.type === 'KYC' && envelope.uuid === uuid)?.envelope.data
    .status === 'FULL_USER'

/** The accounts in use that these events leave somebody with. */
export function accountsIn(
  events: readonly PastEvent[],
  { uuid }: Pick<EventPerson, 'uuid'>,
): PersonAccounts {
  const last = new Map<string, Envelope>()
  for (const { envelope } of events)
    if (envelope.uuid === uuid) last.set(`${envelope.type} ${envelope.data.uuid}`, envelope)
  const active = (type: Envelope['type']) => {
    const found = [...last.values()].find((one) => one.type === type && one.data.status === 'ACTIVE')
    return typeof found?.data.uuid === 'string' ? found.data.uuid : undefined
  }
  return { own: active('unblockBankAccount'), linked: active('linkBankAccount') }
}
