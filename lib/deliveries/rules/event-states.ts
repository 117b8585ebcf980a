import type { EventType } from './event-types.ts'
import { type AccountStatus, cryptoToFiatSteps, fiatToCryptoSteps, isDirection } from './steps.ts'

/**
 * `data.status` gives a reason beside the step of a transaction: the two holds of §6.1, and values of recorded deliveries.
 * The set is open, and these values have labels.
 */
export const stepReasons = [
  'ON_HOLD_KYC',
  'ON_HOLD_PROCESS',
  'OUTSIDE_TRANSFER_IN_REVIEW',
  'PROCESS_COMPLETED',
  'PROCESS_FAILED',
] as const
export type StepReason = (typeof stepReasons)[number]

/** An account to pay into and the profile for linked accounts have these statuses. §6.3, §6.4 */
const createdAccountStatuses = [
  'ACTIVE',
  'WAITING_CREATION',
  'FAILED_CREATION',
  'DISABLED',
] as const satisfies readonly AccountStatus[]

/** Linked accounts have these statuses. §6.5 */
const linkedAccountStatuses = [
  'ACTIVE',
  'CHECK_COMPLETED',
  'PENDING',
  'FAILED',
  'DISABLED',
] as const satisfies readonly AccountStatus[]

/** ASSUMED: a user's verification has these public statuses, and a KYC event carries one of them. */
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

/** Each event type has these known states. §6.1 to §6.6. ASSUMED: those of the last seven types, since §6.7 shows none. */
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

export type StateOf<Type extends EventType> = (typeof statesOf)[Type][number]

/** An event kind has the fields that give the event's state. `status` is its `data.status`. */
export interface EventKind {
  readonly type: string | null
  readonly subType: string | null
  readonly status: string | null
}

/**
 * The state of an event is the step of a transaction, the name of an event that happens once, and otherwise the status. It
 * is null when the event gives none, or when the reader's role may not see it.
 */
export function stateOf({ type, subType, status }: EventKind): string | null {
  if (isDirection(type) || happensOnce.has(type ?? '')) return subType
  return status ?? (subType === statusUpdate ? null : subType)
}

/** Events that give their state by `data.status` have this `subType`. §6.3 to §6.5 */
export const statusUpdate = 'statusUpdate'

/** The `subType` of these types names what happened. §6.6; ASSUMED: the others. */
const happensOnce: ReadonlySet<string> = new Set<EventType>([
  'otpNotification',
  'walletCreated',
  'duplicateUser',
  'senderNameMismatch',
])
