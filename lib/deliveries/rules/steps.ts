import type { Envelope } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'
import { textField } from './text-field.ts'

/** A fiat to stablecoin transaction has these steps, the `subType` values of §6.1. */
export const fiatToCryptoSteps = [
  'PENDING',
  'IN_PROGRESS',
  'CRYPTO_TRANSFER_ISSUED',
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  'REFUNDED',
] as const

/** A stablecoin to fiat transaction has these steps, the `subType` values of §6.2. */
export const cryptoToFiatSteps = [
  'PENDING',
  'IN_PROGRESS',
  'FIAT_TRANSFER_ISSUED',
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  'LIMIT_BREACHED',
  'REFUNDED',
] as const

export type FiatToCryptoStep = (typeof fiatToCryptoSteps)[number]
export type CryptoToFiatStep = (typeof cryptoToFiatSteps)[number]
export type Step = FiatToCryptoStep | CryptoToFiatStep

export const directions = ['fiatToCrypto', 'cryptoToFiat'] as const
export type Direction = (typeof directions)[number]

export const stepsOf = {
  fiatToCrypto: fiatToCryptoSteps,
  cryptoToFiat: cryptoToFiatSteps,
} as const satisfies Record<Direction, readonly Step[]>

/** The list has the steps of both directions. */
export const everyStep: readonly Step[] = [...new Set([...fiatToCryptoSteps, ...cryptoToFiatSteps])]

/** A transaction passes these steps in order when all goes well. Step rails show them. */
export const usualPath = {
  fiatToCrypto: ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'],
  cryptoToFiat: ['PENDING', 'IN_PROGRESS', 'FIAT_TRANSFER_ISSUED', 'SUCCESS'],
} as const satisfies Record<Direction, readonly Step[]>

/** Bank accounts, profiles and linked accounts have these statuses, the `data.status` values of §6.3 to §6.5. */
export const accountStatuses = [
  'ACTIVE',
  'WAITING_CREATION',
  'FAILED_CREATION',
  'DISABLED',
  'CHECK_COMPLETED',
  'PENDING',
  'FAILED',
] as const
export type AccountStatus = (typeof accountStatuses)[number]

/** An account with one of these statuses cannot be used: it was not created, or was disabled. */
export const endedAccountStatuses = [
  'FAILED_CREATION',
  'FAILED',
  'DISABLED',
] as const satisfies readonly AccountStatus[]

const stepRank = {
  PENDING: 0,
  IN_PROGRESS: 1,
  CRYPTO_TRANSFER_ISSUED: 2,
  FIAT_TRANSFER_ISSUED: 2,
  SUCCESS: 3,
  FAILED: 3,
  LIMIT_BREACHED: 3,
  REFUNDED: 4,
  ON_HOLD: null,
} as const satisfies Record<Step, number | null>

const accountRank = {
  WAITING_CREATION: 0,
  PENDING: 0,
  CHECK_COMPLETED: 1,
  ACTIVE: 2,
  FAILED: 2,
  FAILED_CREATION: 2,
  DISABLED: 2,
} as const satisfies Record<AccountStatus, number>

const stepRanks: ReadonlyMap<string, number | null> = new Map(Object.entries(stepRank))
const accountRanks: ReadonlyMap<string, number> = new Map(Object.entries(accountRank))

/** A transaction at this rank or above has finished. */
export const finalRank = 3
export const highestRank = 4

/** A finished transaction has one of these steps. */
export const finalSteps: readonly string[] = [...stepRanks].flatMap(([step, rank]) =>
  (rank ?? 0) >= finalRank ? step : [],
)

export const isDirection = (type: string | null): type is Direction =>
  directions.some((direction) => direction === type)

/**
 * A transaction's moves are the events of its direction. When both directions carry its id, the one whose events
 * began last counts. `events` are in the order of the timeline, and `typeOf` gives their type.
 */
export function movesOf<Event>(events: readonly Event[], typeOf: (event: Event) => string | null): Event[] {
  const direction = [...new Set(events.map(typeOf))].findLast(isDirection)
  return direction ? events.filter((event) => typeOf(event) === direction) : []
}

export const isStep = (subType: string | null): subType is Step => stepRanks.has(subType ?? '')

/** The rank says how far an event is along its subject's way, 0 to 4. It is null for kinds of event without an order. */
export function rankOf(envelope: Envelope): number | null {
  if (isDirection(envelope.type)) return stepRanks.get(envelope.subType ?? '') ?? null
  if (!bankAccountTypes.has(envelope.type ?? '')) return null
  return accountRanks.get(textField(envelope.data, 'status') ?? '') ?? null
}

/**
 * `isOnHold` is true for a paused transaction, §6.1 and §6.2. ON_HOLD has no rank, since it can come at any time before the
 * end.
 */
export const isOnHold = ({ type, subType }: Pick<Envelope, 'type' | 'subType'>): boolean =>
  isDirection(type) && subType === 'ON_HOLD'

/** `isFailedCreation` is true for an account that could not be created, and may be created again. §6.3 to §6.5 */
export const isFailedCreation = ({ type, data }: Envelope): boolean =>
  bankAccountTypes.has(type ?? '') && failures.has(textField(data, 'status') ?? '')

const failures: ReadonlySet<string> = new Set<AccountStatus>(['FAILED_CREATION', 'FAILED'])

/** `isSameState` is true for two events of one type that leave their subject at the same step and status. */
export const isSameState = (one: Envelope, other: Envelope): boolean =>
  one.subType === other.subType && textField(one.data, 'status') === textField(other.data, 'status')
