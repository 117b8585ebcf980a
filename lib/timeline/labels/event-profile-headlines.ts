import type { StateOf } from '#lib/deliveries/rules/event-states.ts'
import { type companyTypes, type EventType, isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import { isTroubling, worstFirst } from '#lib/words/labels/worst-first.ts'
import { eventLabel } from './event-labels.ts'

/** The headline of an account uses these facts; the number is as the role may see it. */
interface AccountHeadlineFacts {
  readonly type: EventType | null
  readonly state: string | null
  readonly currency: string | null
  readonly number: string | null
}

/** One sentence gives the status of an account: "Account for EUR is active; pay into DE•••3000". §6.3 to §6.5 */
export function accountHeadline({ type, state, currency, number }: AccountHeadlineFacts): string {
  const said = accountSentences.get(type ?? '')?.get(state ?? '')
  const name = nameOf(type, currency)
  if (said === undefined) return `${name}: ${eventLabel({ type, subType: null, status: state }).label}`
  const payInto = type === 'unblockBankAccount' && state === 'ACTIVE' && number ? `; pay into ${number}` : ''
  return `${name} ${said}${payInto}`
}

/** The account is named like "Account for EUR". */
function nameOf(type: EventType | null, currency: string | null): string {
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

const accountSentences: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map<
  EventType,
  Map<string, string>
>([
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

/** A company has a status for each type of event, as far as the role may see it. */
interface CompanyStanding {
  readonly type: EventType
  readonly state: string | null
  readonly restricted: boolean
}

/** One sentence gives the status of a company. Its page says below what it means and what somebody must do. */
interface CompanyHeadline<Standing> {
  /** The sentence reads like "Company is suspended, and could not be verified". */
  readonly sentence: string
  /** The deciding status is one that needs action, otherwise the latest. Null when there is none. */
  readonly deciding: Standing | null
}

/** `standings` come newest first; those of other types say nothing about the company's state. §6.7 */
export function companyHeadline<Standing extends CompanyStanding>(
  standings: readonly Standing[],
): CompanyHeadline<Standing> {
  const own = standings.filter(({ type }) => isCompanyType(type))
  const deciding = worstFirst(own).find(isTroubling) ?? own[0]
  if (!deciding) return { sentence: 'Company, of which no state was received', deciding: null }
  const { label } = labelOf(deciding)
  const said = [deciding, ...own.filter((one) => one !== deciding)].flatMap((one) => sentenceOf(one) ?? [])
  const sentence = sentenceOf(deciding) === undefined ? `Company: ${label}` : `Company ${said.join(', and ')}`
  return { sentence, deciding }
}

const labelOf = ({ type, state, restricted }: CompanyStanding) =>
  eventLabel({ type, subType: state, status: state, restricted })

const sentenceOf = ({ type, state }: CompanyStanding) => companySentences.get(type)?.get(state ?? '')

const words = {
  KYB: {
    KYB_PENDING: 'is being verified',
    KYB_PASSED: 'is verified',
    KYB_FAILED: 'could not be verified',
  },
  entityStatusUpdate: { ACTIVE: 'is active', SUSPENDED: 'is suspended' },
} as const satisfies {
  readonly [Type in (typeof companyTypes)[number]]: Readonly<Record<StateOf<Type>, string>>
}

const companySentences: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(words).map(([type, states]) => [type, new Map(Object.entries(states))]),
)
