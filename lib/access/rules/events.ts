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
import { type Shown, showRecord } from './records.ts'
import type { Role } from './roles.ts'
import { type Information, showValue, type Visibility, visibilityOf } from './visibility.ts'

/**
 * `EventRules` says who may see which part of one event type. A path goes into an object; a field of `data`
 * without a row is unknown. §6
 */
interface EventRules {
  /** `exists` says who may know that there is such an event, its type and its times. */
  readonly exists: 'fact' | 'staff' | 'unknown'
  /** `says` is the visibility of its `subType` and `data.status`. */
  readonly says: Information
  /** `body` is the visibility of the whole body as it came. */
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
      // The mail server's own text often names the address.
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

/** These rules hold for a type that the contract does not name, and for an event without a type. */
const unknown: EventRules = { exists: 'unknown', says: 'unknown', body: 'body', data: {} }

export const eventRules = (type: string | null): EventRules => (isEventType(type) ? rules[type] : unknown)

/** Customers may know that an event of one of these types happened. */
export const customerEventTypes: readonly EventType[] = eventTypes.filter(
  (type) => rules[type].exists === 'fact',
)

/** Customers may know of an event of this type when it is about them. */
export const isForCustomers = (type: string | null): boolean => eventRules(type).exists === 'fact'

interface ShownEvent {
  readonly type: string | null
  readonly subType: string | null
  readonly status: string | null
}

/** A visible event is an event as one of the roles `R` may see it. `restricted`: other roles see more. */
type VisibleEvent<T, R extends Role> = Shown<'event', Omit<T, keyof ShownEvent>, R> &
  ShownEvent & { readonly restricted: boolean }

/** This leaves only the fields of an event that a role may see. */
export function showEvent<T extends ShownEvent, R extends Role>(
  role: R,
  { subType, status, ...event }: T,
): VisibleEvent<T, R> {
  const { exists, says } = eventRules(event.type)
  const visible = visibilityOf(role, exists) !== 'hidden'
  return {
    ...showRecord(role, 'event', event),
    type: visible ? event.type : null,
    subType: showValue(role, says, subType),
    status: showValue(role, says, status),
    restricted: !['plain', 'known'].includes(visibilityOf(role, says)),
  } as VisibleEvent<T, R>
}

export const bodyVisibility = (role: Role, type: string | null): Visibility =>
  visibilityOf(role, eventRules(type).body)

/**
 * The body becomes JSON that holds each field as the role may see it. Masked fields are masked in place, hidden
 * fields are left out, and unknown fields are dots for roles that may reveal the body. Null when the role sees
 * nothing of it, or when it is not an object.
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

/** The walk goes no deeper than the table does. */
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

/** A value that should be text or a number and is neither counts as unknown. */
function writeValue(role: Role, sort: Information, value: Json): string | null {
  const known = typeof value !== 'object' || value === null || value instanceof JsonNumber ? sort : 'unknown'
  return visibilityOf(role, known) === 'hidden' ? null : canonicalJson(showValue(role, known, value))
}

/**
 * The envelope keeps the fields that the fold reads, the ids that find it and the fields that pages show by
 * name. A fold of it gives the same rows. Texts are cut where `textField` cuts them anyway.
 */
export function shortenEnvelope({ fields, data }: Envelope): JsonObject {
  return new Map<string, Json>([
    ...pickFields(fields, head),
    ...(data === null ? [] : [['data', pickFields(data, kept)] as const]),
  ])
}

/** The erasure mark stays, so that an erased envelope is not erased again. */
const head = fieldTree(['type', 'subType', 'uuid', erasedText])

/** Every id of §6.3 is in this list. */
const kept = fieldTree([
  ...new Set([...foldedPaths, ...eventTypes.flatMap((type) => Object.keys(eventRules(type).data))]),
])
