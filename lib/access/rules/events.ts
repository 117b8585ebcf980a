import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import { erasedText } from '#lib/deliveries/rules/erase-envelope.ts'
import { type EventType, eventTypes, isEventType } from '#lib/deliveries/rules/event-types.ts'
import {
  canonicalJson,
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  parseJson,
} from '#lib/deliveries/rules/json.ts'
import { fieldTree, foldedPaths, pickFields } from '#lib/deliveries/rules/summary.ts'
import { showRecord } from './records.ts'
import type { Role } from './roles.ts'
import { type Information, showValue, type Visibility, visibilityOf } from './visibility.ts'

/** What an event of one type holds. A path goes into an object; a field of `data` without a row is unknown. §6 */
interface EventRules {
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

interface ShownEvent {
  readonly type: string | null
  readonly subType: string | null
  readonly status: string | null
}

/** What of an event may leave the server for a role. `restricted`: there is more, for other roles. */
export function showEvent<T extends ShownEvent>(
  role: Role,
  { subType, status, ...event }: T,
): T & { readonly restricted: boolean } {
  const { exists, says } = eventRules(event.type)
  const visible = visibilityOf(role, exists) !== 'hidden'
  const shown = showRecord(role, 'event', event)
  return {
    ...shown,
    type: visible ? event.type : null,
    subType: showValue(role, says, subType),
    status: showValue(role, says, status),
    restricted: !['plain', 'known'].includes(visibilityOf(role, says)),
  } as T & { readonly restricted: boolean }
}

/** How a role gets the body of an event of this type as it came. */
export const bodyVisibility = (role: Role, type: string | null): Visibility =>
  visibilityOf(role, eventRules(type).body)

/**
 * A body as JSON with every field as the role may have it: masked in place; what is hidden is left out, and what the table
 * does not name shows as dots to those who may ask for the whole. Null where the role gets nothing of it, or it is no object.
 */
export function showBody(role: Role, text: string): string | null {
  const json = parseJson(text)
  if (json.kind === 'malformed' || !isJsonObject(json.value)) return null
  const type = json.value.get('type')
  const rules = eventRules(typeof type === 'string' ? type : null)
  if (visibilityOf(role, rules.says) === 'hidden') return null
  return write(role, envelopeRules(rules), json.value, '')
}

const envelopeRules = ({ exists, says, data }: EventRules): ReadonlyMap<string, Information> =>
  new Map<string, Information>([
    ['type', exists],
    ['subType', says],
    ['uuid', 'staff'],
    ...Object.entries(data).map(([path, sort]): [string, Information] => [`data.${path}`, sort]),
  ])

/** Goes no deeper than the table does. */
function write(
  role: Role,
  rules: ReadonlyMap<string, Information>,
  object: JsonObject,
  prefix: string,
): string {
  const fields: string[] = []
  for (const [key, value] of object) {
    const path = prefix + key
    const inside = isJsonObject(value) && [...rules.keys()].some((known) => known.startsWith(`${path}.`))
    const shown = inside
      ? write(role, rules, value, `${path}.`)
      : writeValue(role, rules.get(path) ?? 'unknown', value)
    if (shown !== null) fields.push(`${JSON.stringify(key)}:${shown}`)
  }
  return `{${fields.join(',')}}`
}

/** A value that is no text or number where one is expected says something that the table does not know. */
function writeValue(role: Role, sort: Information, value: Json): string | null {
  const known = typeof value !== 'object' || value === null || value instanceof JsonNumber ? sort : 'unknown'
  return visibilityOf(role, known) === 'hidden' ? null : canonicalJson(showValue(role, known, value))
}

/**
 * The envelope of an event whose body leaves the log: the fields that the fold reads, the ids that it is found by, and whatever
 * pages show by name. A fold of it gives the same rows. Texts are cut where `textField` cuts them anyway.
 */
export function shortenEnvelope({ fields, data }: Envelope): JsonObject {
  return new Map<string, Json>([
    ...pickFields(fields, head),
    ...(data === null ? [] : [['data', pickFields(data, kept)] as const]),
  ])
}

/** The mark of an erasure stays: what was erased once is not erased again. */
const head = fieldTree(['type', 'subType', 'uuid', erasedText])

/** Every id of §6.3 is among them. */
const kept = fieldTree([
  ...new Set([...foldedPaths, ...eventTypes.flatMap((type) => Object.keys(eventRules(type).data))]),
])
