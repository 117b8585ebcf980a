import { ownValue } from '#lib/platform/rules/names.ts'
import { longLetters, plainLetters, plainText } from '#lib/platform/rules/pasted-text.ts'
import type { Role } from './roles.ts'
import { type Information, showValue, type Visible, visibilityOf } from './visibility.ts'

/** Each field of a record has a sort of information; a path goes into an object. A field without a row is hidden. */
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
    // The conflict is between the transaction's steps, which its owner reads too.
    conflict: 'fact',
    // The row says how long the transaction has been at one step.
    stuck: 'fact',
    userUuid: 'fact',
    userEmail: 'person',
    // Events that the owner must not know of also change these times.
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
  /** The table of event rules says who sees `subType` and `status` of a known type. */
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
  /** Staff wrote this note beside a subject. */
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
    statusAt: 'staff',
    country: 'fact',
    since: 'staff',
    address: 'person',
    dateOfBirth: 'birth-date',
    companies: 'staff',
  },
  /** A person's transactions, account or events named this wallet. */
  wallet: {
    address: 'wallet',
    signsIn: 'fact',
    created: 'fact',
    used: 'fact',
  },
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

/** `Shown` is a record as one of the roles `R` may see it. The type says which fields may be hidden. */
export type Shown<Name extends RecordName, T, R extends Role> = ShownFields<
  (typeof recordFields)[Name],
  T,
  R,
  ''
>

type ShownFields<Rules, T, R extends Role, Prefix extends string> = {
  readonly [Key in keyof T]: `${Prefix}${Key & string}` extends keyof Rules
    ? ShownField<Rules[`${Prefix}${Key & string}`], T[Key], R>
    : UnnamedField<Rules, T[Key], R, `${Prefix}${Key & string}.`>
}

type ShownField<Sort, Value, R extends Role> = [Value] extends [boolean]
  ? boolean
  : [Value] extends [readonly unknown[]]
    ? Value
    : Sort extends Information
      ? Visible<Sort, R, Value>
      : never

/** The table does not name this field; it may name fields in it. */
type UnnamedField<Rules, Value, R extends Role, Prefix extends string> = Value extends readonly unknown[]
  ? readonly never[]
  : Value extends boolean
    ? false
    : Value extends object
      ? ShownFields<Rules, Value, R, Prefix>
      : null

/**
 * This leaves only the fields of a record that a role may see. Masked fields are masked in place. Hidden
 * fields, and fields without a row, become null, an empty list or false, as `Shown` says.
 */
export function showRecord<T extends object, Name extends RecordName, R extends Role>(
  role: R,
  name: Name,
  record: T,
): Shown<Name, T, R> {
  return showFields(role, recordFields[name], record, '') as Shown<Name, T, R>
}

/** A role may reveal these fields whole, one by one. */
export function revealableFields(role: Role, name: RecordName, record: object): readonly string[] {
  const rules: Rules = recordFields[name]
  return Object.entries(rules).flatMap(([path, sort]) =>
    fieldOf(record, path) !== null && visibilityOf(role, sort) === 'reveal' ? [path] : [],
  )
}

/** The value is read at a path such as `parties.sender.iban`; null when there is none. */
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

/** Two spellings are the same text to people: case, accents, spaces, dots and dashes make no difference. */
export const isSameText = (one: string, other: string): boolean =>
  formsOf(one).some((form) => formsOf(other).includes(form))

/**
 * The name that somebody says is the stored one: each of its words is said, in any order, and no other but a title before
 * them.
 */
export function isSameName(stored: string, said: string): boolean {
  if (isSameText(stored, said)) return true
  const left = wordsOf(said)
  const isSaid = (word: string) => {
    const at = left.findIndex((other) => isSameText(word, other))
    if (at !== -1) left.splice(at, 1)
    return at !== -1
  }
  const words = wordsOf(stored)
  return words.length > 0 && words.every(isSaid) && left.length === 0
}

/** `ü` may be written `ue`. A text without letters and digits has no form. */
const formsOf = (text: string): readonly string[] => {
  const typed = plainText(text)
  const forms = [typed, longLetters(typed)].map((one) => plainLetters(one).replace(/[\s.,'’-]/g, ''))
  return forms.filter((form) => form !== '')
}

/** The words of a name come without a title, unless nothing else is left. */
function wordsOf(name: string): string[] {
  const words = plainText(name)
    .split(/[\s.,-]+/)
    .filter((word) => formsOf(word).length > 0)
  const first = words.findIndex((word) => !titles.has(plainLetters(word)))
  return words.slice(Math.max(first, 0))
}

const titles: ReadonlySet<string> = new Set(
  'mr mrs ms miss mx sir madam dr prof herr frau senor senora senorita sr sra srta mme mlle monsieur madame mademoiselle senhor senhora'.split(
    ' ',
  ),
)
