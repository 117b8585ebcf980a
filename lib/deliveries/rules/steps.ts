import type { Envelope } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'
import { textField } from './text-field.ts'

/** The steps of a fiat to stablecoin transaction, the `subType` values of §6.1. */
export const fiatToCryptoSteps = [
  'PENDING',
  'IN_PROGRESS',
  'CRYPTO_TRANSFER_ISSUED',
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  'REFUNDED',
] as const

/** The steps of a stablecoin to fiat transaction, the `subType` values of §6.2. */
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

/** Those of both directions. */
export const everyStep: readonly Step[] = [...new Set([...fiatToCryptoSteps, ...cryptoToFiatSteps])]

/** The steps a transaction passes when all goes well, in order: what a step rail draws. */
export const usualPath = {
  fiatToCrypto: ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'],
  cryptoToFiat: ['PENDING', 'IN_PROGRESS', 'FIAT_TRANSFER_ISSUED', 'SUCCESS'],
} as const satisfies Record<Direction, readonly Step[]>

/** Statuses of bank accounts, profiles and linked accounts, the `data.status` values of §6.3 to §6.5. */
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

/** Statuses of an account that nobody can use: it came to nothing, or was switched off. */
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

/** The steps that a transaction may stand at when it has finished. */
export const finalSteps: readonly string[] = [...stepRanks].flatMap(([step, rank]) =>
  (rank ?? 0) >= finalRank ? step : [],
)

export const isDirection = (type: string | null): type is Direction =>
  directions.some((direction) => direction === type)

export const isStep = (subType: string | null): subType is Step => stepRanks.has(subType ?? '')

/** How far along its subject an event is, 0 to 4, or null when its kind of event says nothing of that. */
export function rankOf(envelope: Envelope): number | null {
  if (isDirection(envelope.type)) return stepRanks.get(envelope.subType ?? '') ?? null
  if (!bankAccountTypes.has(envelope.type ?? '')) return null
  return accountRanks.get(textField(envelope.data, 'status') ?? '') ?? null
}

/** Paused, §6.1 and §6.2: it has no rank, since it can come at any point before the end. */
export const isOnHold = ({ type, subType }: Pick<Envelope, 'type' | 'subType'>): boolean =>
  isDirection(type) && subType === 'ON_HOLD'

/** An account that came to nothing, and may be created once more. §6.3 to §6.5 */
export const isFailedCreation = ({ type, data }: Envelope): boolean =>
  bankAccountTypes.has(type ?? '') && failures.has(textField(data, 'status') ?? '')

const failures: ReadonlySet<string> = new Set<AccountStatus>(['FAILED_CREATION', 'FAILED'])
