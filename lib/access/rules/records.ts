import { ownValue } from '#lib/platform/rules/names.ts'
import { plainText } from '#lib/platform/rules/pasted-text.ts'
import type { Role } from './roles.ts'
import { type Information, showValue, visibilityOf } from './visibility.ts'

/** Which sort of information each field of what we show holds; a path goes into an object. A field without a row is hidden. */
export const recordFields = {
  transaction: {
    subjectId: 'fact',
    uuid: 'fact',
    direction: 'fact',
    step: 'state',
    reason: 'state',
    amountFiat: 'fact',
    amountCrypto: 'fact',
    amountRefunded: 'fact',
    fees: 'fact',
    limit: 'fact',
    currencyFiat: 'fact',
    currencyCrypto: 'fact',
    chain: 'fact',
    transactionHash: 'fact',
    startedAt: 'fact',
    finishedAt: 'fact',
    durationSeconds: 'fact',
    // Of its steps, which its owner reads too.
    conflict: 'fact',
    // The row says how long it stands at one.
    stuck: 'fact',
    userUuid: 'fact',
    userEmail: 'person',
    // These also move by events that their owner must not know of.
    lastMoveAt: 'staff',
    lastReceivedAt: 'staff',
    flags: 'staff',
    unheard: 'staff',
    'parties.walletAddress': 'wallet',
    'parties.sendingAddress': 'wallet',
    'parties.sender.name': 'counterparty',
    'parties.sender.country': 'staff',
    'parties.sender.currency': 'staff',
    'parties.sender.iban': 'account-number',
    'parties.beneficiary.name': 'counterparty',
    'parties.beneficiary.accountNumber': 'account-number',
    'parties.beneficiary.bankCode': 'staff',
    'parties.beneficiary.bankName': 'staff',
    'parties.beneficiary.currency': 'staff',
    'parties.internalBankAccountId': 'staff',
    'parties.linkedBankAccountUuid': 'staff',
    'parties.remoteBankAccountUuid': 'staff',
  },
  /** An event of a type that the table of events knows; that table says who sees `subType` and `status`. */
  event: {
    id: 'fact',
    type: 'fact',
    firstReceivedAt: 'fact',
    placedBefore: 'fact',
    cameAgainId: 'staff',
    cameAgainAt: 'staff',
    subjectId: 'staff',
    transactionUuid: 'staff',
    entityUuid: 'staff',
    userEmail: 'person',
    position: 'staff',
    rank: 'staff',
    deliveries: 'staff',
    lastReceivedAt: 'staff',
    flags: 'staff',
    unreadable: 'staff',
  },
  delivery: {
    id: 'staff',
    receivedAt: 'staff',
    answer: 'staff',
    reason: 'staff',
    endpointUuid: 'endpoint',
    endpointName: 'endpoint',
  },
  receiver: {
    id: 'receiver',
    url: 'receiver',
    state: 'endpoint',
    lastDeliveryAt: 'endpoint',
    refused: 'endpoint',
    refusedSince: 'endpoint',
    reasons: 'endpoint',
  },
  /** What staff wrote beside a transaction. */
  note: {
    id: 'staff',
    text: 'free-text',
    ticket: 'free-text',
    ticketName: 'free-text',
    by: 'staff',
    writtenAt: 'staff',
    changedAt: 'staff',
    mayChange: 'staff',
    mayRemove: 'staff',
  },
  person: {
    userUuid: 'fact',
    email: 'person',
    name: 'person',
    customerNumber: 'person',
    status: 'state',
    country: 'fact',
    since: 'staff',
    address: 'person',
    dateOfBirth: 'birth-date',
    companies: 'staff',
  },
  /** A wallet that a person's transactions, account or events named. */
  wallet: {
    address: 'wallet',
    signsIn: 'fact',
    created: 'fact',
    used: 'fact',
  },
  /** A bank account of the customer. */
  account: {
    uuid: 'fact',
    currency: 'fact',
    bankCountry: 'fact',
    bic: 'fact',
    sortCode: 'fact',
    swiftCode: 'fact',
    bankCode: 'fact',
    bankName: 'fact',
    status: 'state',
    iban: 'own-account-number',
    accountNumber: 'own-account-number',
  },
} as const satisfies Record<string, Readonly<Record<string, Information>>>

export type RecordName = keyof typeof recordFields

/**
 * What of a record may leave the server for a role. What is masked is masked in place; what is hidden, or has no row in the
 * table, is null, an empty list or false: the types of our views allow for it where a role that gets the view does not see
 * the field.
 */
export function showRecord<T extends object>(role: Role, name: RecordName, record: T): T {
  return showFields(role, recordFields[name], record, '') as T
}

/** The fields of a record that a role may have shown whole, one by one. */
export function revealableFields(role: Role, name: RecordName, record: object): readonly string[] {
  const rules: Rules = recordFields[name]
  return Object.entries(rules).flatMap(([path, sort]) =>
    fieldOf(record, path) !== null && visibilityOf(role, sort) === 'reveal' ? [path] : [],
  )
}

/** The value at a path such as `parties.sender.iban`; null when there is none. */
export function fieldOf(record: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? (ownValue(value, key) ?? null) : null), record)
}

function showFields(role: Role, rules: Rules, record: object, prefix: string): object {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const path = prefix + key
      const sort = Object.hasOwn(rules, path) ? rules[path] : undefined
      if (sort) return [key, Array.isArray(value) ? showList(role, sort, value) : showOne(role, sort, value)]
      return [key, isObject(value) ? showFields(role, rules, value, `${path}.`) : hiddenLike(value)]
    }),
  )
}

const showOne = (role: Role, sort: Information, value: unknown) =>
  showValue(role, sort, value ?? null) ?? hiddenLike(value)

const showList = (role: Role, sort: Information, values: readonly unknown[]) =>
  values.flatMap((value) => showValue(role, sort, value) ?? [])

function hiddenLike(value: unknown): false | null | readonly never[] {
  if (Array.isArray(value)) return []
  return typeof value === 'boolean' ? false : null
}

type Rules = Readonly<Record<string, Information>>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two spellings say the same to people: case, accents, spaces, dots and dashes make no difference. */
export const isSameText = (one: string, other: string): boolean =>
  plain(one) !== '' && plain(one) === plain(other)

const plain = (text: string) =>
  plainText(text)
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[\p{M}\s.,'’-]/gu, '')
