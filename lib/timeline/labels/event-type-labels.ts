import { type EventType, isEventType } from '#lib/deliveries/rules/event-types.ts'
import { directionLabels } from '#lib/transactions/labels/step-labels.ts'

export interface EventTypeLabel {
  readonly label: string
  readonly meaning: string
  readonly group: EventGroup
}

/** Forms and filters group the types like this. */
export const eventGroups = [
  'Transactions',
  'Verification',
  'Bank accounts',
  'Users and wallets',
  'Sign-in',
] as const
export type EventGroup = (typeof eventGroups)[number]

/** Each type has a label, a meaning and a group; they say no more than §1, §2.3 and §6 say. */
export const eventTypeLabels = {
  fiatToCrypto: {
    label: directionLabels.fiatToCrypto,
    meaning: 'A fiat to stablecoin transaction moved.',
    group: 'Transactions',
  },
  cryptoToFiat: {
    label: directionLabels.cryptoToFiat,
    meaning: 'A stablecoin to fiat transaction moved.',
    group: 'Transactions',
  },
  senderNameMismatch: {
    label: 'Sender name mismatch',
    meaning: 'The name of a sender does not match.',
    group: 'Transactions',
  },
  KYC: { label: 'KYC', meaning: 'News about the verification of a user.', group: 'Verification' },
  KYB: { label: 'KYB', meaning: 'News about the verification of a business.', group: 'Verification' },
  AML: { label: 'AML', meaning: 'News from anti-money-laundering checks.', group: 'Verification' },
  entityStatusUpdate: {
    label: 'Entity status',
    meaning: 'The status of an entity changed.',
    group: 'Verification',
  },
  unblockBankAccount: {
    label: 'Stablecoin fiat account',
    meaning: 'The status of a stablecoin fiat account changed.',
    group: 'Bank accounts',
  },
  linkedBankAccountProfile: {
    label: 'Linked-bank-account profile',
    meaning: 'Profile creation status for linked bank accounts changed.',
    group: 'Bank accounts',
  },
  linkBankAccount: {
    label: 'Linked bank account',
    meaning: 'The status of a linked bank account changed.',
    group: 'Bank accounts',
  },
  walletCreated: { label: 'Wallet created', meaning: 'A wallet was created.', group: 'Users and wallets' },
  duplicateUser: {
    label: 'Duplicate user',
    meaning: 'A user was found to be a duplicate.',
    group: 'Users and wallets',
  },
  otpNotification: {
    label: 'Sign-in code',
    meaning: 'The e-mail carrying a one-time password bounced.',
    group: 'Sign-in',
  },
} as const satisfies Record<EventType, EventTypeLabel>

/** The label covers events of no known type. */
export const otherEventsLabel = 'Anything else'

/** An unknown type is shown as it is. */
export function eventTypeLabel(type: string | null): {
  label: string
  meaning: string | null
  group: EventGroup | null
} {
  if (isEventType(type)) return eventTypeLabels[type]
  return { label: type ?? 'No type', meaning: null, group: null }
}
