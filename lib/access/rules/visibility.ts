import { userStatuses } from '#lib/deliveries/rules/event-states.ts'
import { accountStatuses, isStep } from '#lib/deliveries/rules/steps.ts'
import { maskAccountNumber, maskPerson, maskWholly } from './mask.ts'
import type { Role } from './roles.ts'

/**
 * How a value leaves the server. `known`: as it is where we have words for it, else not at all. `masked`: its ends alone.
 * `reveal`: masked, and whole one by one, with a reason and an audit entry.
 */
export type Visibility = 'plain' | 'known' | 'masked' | 'reveal' | 'hidden'

const row = (
  endUser: Visibility,
  support: Visibility,
  compliance: Visibility,
  auditor: Visibility,
  admin: Visibility,
): Readonly<Record<Role, Visibility>> => ({ 'end-user': endUser, support, compliance, auditor, admin })

/**
 * Who may know what, by sort of information (decision 0044). The column of the end user is about what is their own: somebody
 * else's is not read for them at all.
 */
const table = {
  /** Ids, amounts and times that its owner reads too. */
  fact: row('plain', 'plain', 'plain', 'plain', 'plain'),
  /** A step or a reason: an open set, of which customers get only what we have words for. */
  state: row('known', 'plain', 'plain', 'plain', 'plain'),
  /** What only those who work here need. */
  staff: row('hidden', 'plain', 'plain', 'plain', 'plain'),
  /** What staff wrote in their own words, and where they point: it may name anybody, and is not masked in part. */
  'free-text': row('hidden', 'plain', 'plain', 'hidden', 'plain'),
  /** Who somebody is: names, e-mail addresses, where they live, the merchant's own number. */
  person: row('plain', 'plain', 'plain', 'masked', 'plain'),
  /** An address on a chain: whoever has it reads there what it holds, and all that went through it. */
  wallet: row('plain', 'plain', 'plain', 'masked', 'plain'),
  /** Who the other side of a payment is. */
  counterparty: row('hidden', 'plain', 'plain', 'masked', 'plain'),
  /** The number of an account that is the customer's own to pay into. */
  'own-account-number': row('plain', 'reveal', 'plain', 'masked', 'reveal'),
  /** The number of an account that took part in a payment. */
  'account-number': row('hidden', 'reveal', 'plain', 'masked', 'reveal'),
  'birth-date': row('plain', 'reveal', 'plain', 'masked', 'reveal'),
  /** What a check of money laundering, of duplicates or of names has found. That there was one is `staff`. */
  suspicion: row('hidden', 'hidden', 'plain', 'hidden', 'plain'),
  'suspicion-body': row('hidden', 'hidden', 'plain', 'hidden', 'reveal'),
  /** A body as it came. */
  body: row('hidden', 'reveal', 'plain', 'hidden', 'reveal'),
  /** A type or a field that the table does not name: for those who may see raw bodies. */
  unknown: row('hidden', 'reveal', 'plain', 'hidden', 'reveal'),
  /** Which endpoint, and how it is. */
  endpoint: row('hidden', 'plain', 'hidden', 'plain', 'plain'),
  /** The secret part of an address that receives deliveries. */
  receiver: row('hidden', 'hidden', 'hidden', 'hidden', 'plain'),
} as const satisfies Record<string, Readonly<Record<Role, Visibility>>>

export type Information = keyof typeof table

export const informationSorts = Object.keys(table) as readonly Information[]

/** How a role gets this sort of information. */
export const visibilityOf = (role: Role, sort: Information): Visibility => table[sort][role]

/** What of a value of this sort may leave the server for a role; null where it is hidden. */
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

/** Steps, statuses of accounts and reasons of which customers are told. Any other may speak of what they must not know. */
const isKnownState = (value: unknown): boolean =>
  typeof value === 'string' && (isStep(value) || knownStates.has(value))

/** `data.status` names these two reasons to hold in §6.1. */
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

/** Actions on what is the merchant’s own, and exports of many: their reasons speak of no single customer. */
const ofTheMerchant = [
  'access.',
  'accounts.export',
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

/** Which sort of information it is why something was done: of any other action, a text about a customer. */
export const reasonSort = (action: string): Information =>
  ofTheMerchant.some((beginning) => action.startsWith(beginning)) ? 'staff' : 'free-text'
