import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { eventLabel } from './event-labels.ts'

/** What a headline of an account speaks of; the number as the reader may have it. */
export interface AccountHeadlineFacts {
  readonly type: EventType | null
  readonly state: string | null
  readonly currency: string | null
  readonly number: string | null
}

/** How an account stands, in one sentence: "Account for EUR is active; pay into DE•••3000". §6.3 to §6.5 */
export function accountHeadline({ type, state, currency, number }: AccountHeadlineFacts): string {
  const said = sentences.get(type ?? '')?.get(state ?? '')
  const name = nameOf(type, currency)
  if (said === undefined) return `${name}: ${eventLabel({ type, subType: null, status: state }).label}`
  const payInto = type === 'unblockBankAccount' && state === 'ACTIVE' && number ? `; pay into ${number}` : ''
  return `${name} ${said}${payInto}`
}

/** What the account is: "Account for EUR". */
export function nameOf(type: EventType | null, currency: string | null): string {
  if (type === 'linkedBankAccountProfile') return 'Profile for linked accounts'
  if (type === 'linkBankAccount') return 'Linked bank account'
  return currency ? `Account for ${currency.toUpperCase()}` : 'Account'
}

const created = new Map([
  ['ACTIVE', 'is active'],
  ['WAITING_CREATION', 'is waiting to be created'],
  ['FAILED_CREATION', 'could not be created'],
  ['DISABLED', 'is disabled'],
])

const sentences: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map<EventType, Map<string, string>>([
  ['unblockBankAccount', created],
  ['linkedBankAccountProfile', created],
  [
    'linkBankAccount',
    new Map([
      ['ACTIVE', 'is active'],
      ['CHECK_COMPLETED', 'was checked, and is not active yet'],
      ['PENDING', 'is not linked yet'],
      ['FAILED', 'could not be linked'],
      ['DISABLED', 'is disabled'],
    ]),
  ],
])
