import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { eventLabel } from './event-labels.ts'

/** The headline of an account uses these facts; the number is as the role may see it. */
export interface AccountHeadlineFacts {
  readonly type: EventType | null
  readonly state: string | null
  readonly currency: string | null
  readonly number: string | null
}

/** One sentence gives the status of an account: "Account for EUR is active; pay into DE•••3000". §6.3 to §6.5 */
export function accountHeadline({ type, state, currency, number }: AccountHeadlineFacts): string {
  const said = sentences.get(type ?? '')?.get(state ?? '')
  const name = nameOf(type, currency)
  if (said === undefined) return `${name}: ${eventLabel({ type, subType: null, status: state }).label}`
  const payInto = type === 'unblockBankAccount' && state === 'ACTIVE' && number ? `; pay into ${number}` : ''
  return `${name} ${said}${payInto}`
}

/** The account is named like "Account for EUR". */
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
