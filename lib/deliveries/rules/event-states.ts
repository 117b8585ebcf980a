import type { EventType } from './event-types.ts'
import { type AccountStatus, cryptoToFiatSteps, fiatToCryptoSteps, isDirection } from './steps.ts'

/**
 * What `data.status` says beside the step of a transaction: the two holds of §6.1, and what recorded deliveries carry. An open
 * set, of which these have words.
 */
export const stepReasons = [
  'ON_HOLD_KYC',
  'ON_HOLD_PROCESS',
  'OUTSIDE_TRANSFER_IN_REVIEW',
  'PROCESS_COMPLETED',
  'PROCESS_FAILED',
] as const
export type StepReason = (typeof stepReasons)[number]

/** Of an account to pay into, and of the profile for linked accounts. §6.3, §6.4 */
const createdAccountStatuses = [
  'ACTIVE',
  'WAITING_CREATION',
  'FAILED_CREATION',
  'DISABLED',
] as const satisfies readonly AccountStatus[]

/** §6.5 */
const linkedAccountStatuses = [
  'ACTIVE',
  'CHECK_COMPLETED',
  'PENDING',
  'FAILED',
  'DISABLED',
] as const satisfies readonly AccountStatus[]

/** ASSUMED: how far a user is verified has these public values, and a KYC event carries one of them. */
export const userStatuses = [
  'CREATED',
  'PHONE_VERIFICATION_NEEDED',
  'KYC_NEEDED',
  'PENDING_KYC_DATA',
  'KYC_PENDING',
  'FULL_USER',
  'SOFT_KYC_FAILED',
  'HARD_KYC_FAILED',
  'SUSPENDED',
] as const
export type UserStatus = (typeof userStatuses)[number]

/** The states that each type can speak of and that have words. §6.1 to §6.6; §6.7 shows none. ASSUMED: those of the last seven. */
export const statesOf = {
  fiatToCrypto: fiatToCryptoSteps,
  cryptoToFiat: cryptoToFiatSteps,
  unblockBankAccount: createdAccountStatuses,
  linkedBankAccountProfile: createdAccountStatuses,
  linkBankAccount: linkedAccountStatuses,
  otpNotification: ['EMAIL_DELIVERY_FAILED'],
  KYC: userStatuses,
  KYB: ['KYB_PENDING', 'KYB_PASSED', 'KYB_FAILED'],
  AML: ['IN_REVIEW', 'PASSED', 'FAILED'],
  entityStatusUpdate: ['ACTIVE', 'SUSPENDED'],
  walletCreated: ['WALLET_CREATED'],
  duplicateUser: ['DUPLICATE_USER'],
  senderNameMismatch: ['SENDER_NAME_MISMATCH'],
} as const satisfies Record<EventType, readonly string[]>

/** The state that a type can speak of. */
export type StateOf<Type extends EventType> = (typeof statesOf)[Type][number]

/** What an event says of itself; `status` is its `data.status`. */
export interface EventKind {
  readonly type: string | null
  readonly subType: string | null
  readonly status: string | null
}

/**
 * The state that an event speaks of: the step of a transaction, the name of what happens once, and otherwise the status.
 * Null when it gives none, or when the reader's role does not get it.
 */
export function stateOf({ type, subType, status }: EventKind): string | null {
  if (isDirection(type) || happensOnce.has(type ?? '')) return subType
  return status ?? (subType === statusUpdate ? null : subType)
}

/** The `subType` of whatever says its state by `data.status`. §6.3 to §6.5 */
export const statusUpdate = 'statusUpdate'

/** Types whose `subType` names what happened. §6.6; ASSUMED: the others. */
const happensOnce: ReadonlySet<string> = new Set<EventType>([
  'otpNotification',
  'walletCreated',
  'duplicateUser',
  'senderNameMismatch',
])
