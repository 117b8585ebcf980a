import { type EventType, eventTypes, isEventType } from '#lib/deliveries/rules/event-types.ts'
import type { Information } from './visibility.ts'

/** What an event of one type holds. A path goes into an object; a field of `data` without a row is unknown. §6 */
export interface EventRules {
  /** That there is such an event: its type, its times. */
  readonly exists: 'fact' | 'staff' | 'unknown'
  /** What it says: its `subType` and `data.status`. */
  readonly says: Information
  /** The whole body as it came. */
  readonly body: Information
  readonly data: Readonly<Record<string, Information>>
}

/** §6.1, §6.2 */
const transaction = {
  status: 'state',
  transactionUuid: 'fact',
  direction: 'fact',
  amountCrypto: 'fact',
  amountFiat: 'fact',
  amountRefunded: 'fact',
  transactionHash: 'fact',
  currencyFiat: 'fact',
  currencyCrypto: 'fact',
  fees: 'fact',
  chain: 'fact',
} as const

/** §6.4, §6.5 */
const linked = { uuid: 'fact', status: 'state', error: 'staff' } as const

const rules = {
  fiatToCrypto: {
    exists: 'fact',
    says: 'state',
    body: 'body',
    data: {
      ...transaction,
      walletAddress: 'wallet',
      internalBankAccountId: 'staff',
      'senderDetails.senderName': 'counterparty',
      'senderDetails.senderCountry': 'staff',
      'senderDetails.accountDetails.currency': 'staff',
      'senderDetails.accountDetails.iban': 'account-number',
      sendingWalletAddress: 'wallet',
      linkedBankAccountUuid: 'staff',
    },
  },
  cryptoToFiat: {
    exists: 'fact',
    says: 'state',
    body: 'body',
    data: {
      ...transaction,
      sendingAddress: 'wallet',
      remoteBankAccountUuid: 'staff',
      limit: 'fact',
      'beneficiaryDetails.receiverName': 'counterparty',
      'beneficiaryDetails.accountDetails.currency': 'staff',
      'beneficiaryDetails.accountDetails.accountNumber': 'account-number',
      'beneficiaryDetails.accountDetails.bankCode': 'staff',
      'beneficiaryDetails.accountDetails.bankName': 'staff',
    },
  },
  unblockBankAccount: {
    exists: 'fact',
    says: 'state',
    body: 'body',
    data: {
      uuid: 'fact',
      currency: 'fact',
      bank_country: 'fact',
      iban: 'own-account-number',
      bic: 'fact',
      account_number: 'own-account-number',
      sort_code: 'fact',
      swift_code: 'fact',
      bank_code: 'fact',
      bank_name: 'fact',
      status: 'state',
      error: 'staff',
    },
  },
  linkedBankAccountProfile: { exists: 'fact', says: 'state', body: 'body', data: linked },
  linkBankAccount: { exists: 'fact', says: 'state', body: 'body', data: linked },
  otpNotification: {
    exists: 'staff',
    says: 'staff',
    body: 'body',
    data: {
      failureType: 'staff',
      emailAddress: 'person',
      // The mail server's own words, which often name the address.
      diagnosticCode: 'person',
      timestamp: 'staff',
    },
  },
  // §6.7 shows no data of the types below. ASSUMED: these fields; any other is unknown.
  KYC: { exists: 'fact', says: 'state', body: 'body', data: { status: 'state' } },
  KYB: { exists: 'staff', says: 'staff', body: 'body', data: { status: 'staff' } },
  entityStatusUpdate: { exists: 'staff', says: 'staff', body: 'body', data: { status: 'staff' } },
  walletCreated: {
    exists: 'fact',
    says: 'state',
    body: 'body',
    data: { walletAddress: 'wallet', chain: 'fact' },
  },
  AML: { exists: 'staff', says: 'suspicion', body: 'suspicion-body', data: { status: 'suspicion' } },
  duplicateUser: {
    exists: 'staff',
    says: 'suspicion',
    body: 'suspicion-body',
    data: { duplicateOf: 'suspicion' },
  },
  senderNameMismatch: {
    exists: 'staff',
    says: 'suspicion',
    body: 'suspicion-body',
    data: { transactionUuid: 'staff', expectedName: 'suspicion', senderName: 'suspicion' },
  },
} as const satisfies Record<EventType, EventRules>

/** A type that the contract does not name, or none. */
const unknown: EventRules = { exists: 'unknown', says: 'unknown', body: 'body', data: {} }

/** What an event of this type holds. */
export const eventRules = (type: string | null): EventRules => (isEventType(type) ? rules[type] : unknown)

/** The types of which customers may know that there was one. */
export const customerEventTypes: readonly EventType[] = eventTypes.filter(
  (type) => rules[type].exists === 'fact',
)

/** Whether customers may know of an event of this type that is about them. */
export const isForCustomers = (type: string | null): boolean => eventRules(type).exists === 'fact'
