import { userStatuses } from '#lib/deliveries/rules/event-states.ts'
import { accountStatuses, isStep } from '#lib/deliveries/rules/steps.ts'
import { maskAccountNumber, maskPerson, maskWholly } from './mask.ts'
import type { Role } from './roles.ts'

/**
 * `known`: shown when we have words for the value. `masked`: only the ends are shown. `reveal`: masked, and
 * shown whole on request, with a reason and an audit entry.
 */
export type Visibility = 'plain' | 'known' | 'masked' | 'reveal' | 'hidden'

const row = <
  EndUser extends Visibility,
  Support extends Visibility,
  Compliance extends Visibility,
  Auditor extends Visibility,
  Admin extends Visibility,
>(
  endUser: EndUser,
  support: Support,
  compliance: Compliance,
  auditor: Auditor,
  admin: Admin,
) => ({ 'end-user': endUser, support, compliance, auditor, admin })

/**
 * The table says who may see each sort of information (decision 0044). The end user's column is about their own
 * data; other people's data is not read for them at all.
 */
const table = {
  /** Ids, amounts and times are facts; the owner reads them too. */
  fact: row('plain', 'plain', 'plain', 'plain', 'plain'),
  /** A step or a reason is one of an open set: customers see only values that we have words for. */
  state: row('known', 'plain', 'plain', 'plain', 'plain'),
  /** Only staff needs this information. */
  staff: row('hidden', 'plain', 'plain', 'plain', 'plain'),
  /** Staff wrote this text or link; it may name anybody, so it is never masked in part. */
  'free-text': row('hidden', 'plain', 'plain', 'hidden', 'plain'),
  /** Personal data says who somebody is: names, e-mail addresses, home, the merchant's own number. `maskPerson` masks them, as `a•••@demo.test`. */
  person: row('plain', 'plain', 'plain', 'masked', 'plain'),
  /** A wallet address shows everybody on its chain what it holds and all payments through it. */
  wallet: row('plain', 'plain', 'plain', 'masked', 'plain'),
  /** The counterparty is the other side of a payment; this is its name. */
  counterparty: row('hidden', 'plain', 'plain', 'masked', 'plain'),
  /** The customer pays into this account, which is their own. */
  'own-account-number': row('plain', 'reveal', 'plain', 'masked', 'reveal'),
  /** An account with this number took part in a payment, such as the account number of the counterparty. */
  'account-number': row('hidden', 'reveal', 'plain', 'masked', 'reveal'),
  'birth-date': row('plain', 'reveal', 'plain', 'masked', 'reveal'),
  /** A check of money laundering, duplicates or names found this. The fact that a check took place is `staff`. */
  suspicion: row('hidden', 'hidden', 'plain', 'hidden', 'plain'),
  'suspicion-body': row('hidden', 'hidden', 'plain', 'hidden', 'reveal'),
  /** The body is shown as it came. */
  body: row('hidden', 'reveal', 'plain', 'hidden', 'reveal'),
  /** The table does not name this type or field, so only roles that may see raw bodies see it. */
  unknown: row('hidden', 'reveal', 'plain', 'hidden', 'reveal'),
  /** These values name the endpoint and its status. */
  endpoint: row('hidden', 'plain', 'hidden', 'plain', 'plain'),
  /** The receiver is the secret part of an address that receives deliveries. */
  receiver: row('hidden', 'hidden', 'hidden', 'hidden', 'plain'),
} as const satisfies Record<string, Readonly<Record<Role, Visibility>>>

export type Information = keyof typeof table

/** A visible value of this sort may be null where a role `R` may not see it, and a text where it is masked. */
export type Visible<Sort extends Information, R extends Role, Value> =
  | Value
  | (Extract<(typeof table)[Sort][R], 'hidden' | 'known'> extends never ? never : null)
  | (Extract<(typeof table)[Sort][R], 'masked' | 'reveal'> extends never
      ? never
      : Value extends null
        ? null
        : string)

export const informationSorts = Object.keys(table) as readonly Information[]

export const visibilityOf = (role: Role, sort: Information): Visibility => table[sort][role]

/** The value leaves the server as the role may see it; null when it is hidden. */
export function showValue<Value>(role: Role, sort: Information, value: Value): Value | string | null {
  if (value === null) return null
  switch (visibilityOf(role, sort)) {
    case 'plain':
      return value
    case 'known':
      return isKnownState(value) ? value : null
    case 'masked':
    case 'reveal':
      return typeof value === 'string' ? maskOf[sort](value) : maskWholly()
    case 'hidden':
      return null
  }
}

/** Customers read these steps, account statuses and reasons. Any other may speak of something they must not know. */
const isKnownState = (value: unknown): boolean =>
  typeof value === 'string' && (isStep(value) || knownStates.has(value))

/** §6.1 names two of these as reasons for a hold, in `data.status`. */
const knownStates: ReadonlySet<string> = new Set([
  ...accountStatuses,
  ...userStatuses,
  'ON_HOLD_KYC',
  'ON_HOLD_PROCESS',
])

const maskOf = {
  fact: maskWholly,
  state: maskWholly,
  staff: maskWholly,
  'free-text': maskWholly,
  person: maskPerson,
  wallet: maskAccountNumber,
  counterparty: maskPerson,
  'own-account-number': maskAccountNumber,
  'account-number': maskAccountNumber,
  'birth-date': maskWholly,
  suspicion: maskWholly,
  'suspicion-body': maskWholly,
  body: maskWholly,
  unknown: maskWholly,
  endpoint: maskWholly,
  receiver: maskWholly,
} as const satisfies Record<Information, (text: string) => string>

/** These actions concern the merchant's own things or exports of many records: their reasons name no single customer. */
const ofTheMerchant = [
  'access.',
  'accounts.export',
  'alert.export',
  'audit.',
  'companies.export',
  'delivery.',
  'endpoint.',
  'gap.',
  'invitation.',
  'link.',
  'member.',
  'passkey.',
  'rebuild.',
  'replay.',
  'search.export',
  'service.',
  'settings.',
  'transactions.export',
]

/** The reason of an action is a text about a customer, unless the action is listed above. */
export const reasonSort = (action: string): Information =>
  ofTheMerchant.some((beginning) => action.startsWith(beginning)) ? 'staff' : 'free-text'
