import type { StateOf } from '#lib/deliveries/rules/event-states.ts'
import { type companyTypes, type EventType, isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import { isTroubling, worstFirst } from '#lib/words/labels/worst-first.ts'
import { eventLabel } from './event-labels.ts'

/** A company has a status for each type of event, as far as the role may see it. */
export interface CompanyStanding {
  readonly type: EventType
  readonly state: string | null
  readonly restricted: boolean
}

/** One sentence gives the status of a company, and another what somebody must do about it. */
export interface CompanyHeadline<Standing> {
  /** The sentence reads like "Company is suspended, and could not be verified". */
  readonly sentence: string
  /** The deciding status is one that needs action, otherwise the latest. Null when there is none. */
  readonly deciding: Standing | null
  readonly meaning: string | null
  readonly next: string | null
}

/** `standings` come newest first; those of other types say nothing about the company's state. §6.7 */
export function companyHeadline<Standing extends CompanyStanding>(
  standings: readonly Standing[],
): CompanyHeadline<Standing> {
  const own = standings.filter(({ type }) => isCompanyType(type))
  const deciding = worstFirst(own).find(isTroubling) ?? own[0]
  if (!deciding) return { sentence: 'Company, of which no state was received', ...nothing }
  const { label, meaning, next } = labelOf(deciding)
  const said = [deciding, ...own.filter((one) => one !== deciding)].flatMap((one) => sentenceOf(one) ?? [])
  const sentence = sentenceOf(deciding) === undefined ? `Company: ${label}` : `Company ${said.join(', and ')}`
  return { sentence, deciding, meaning, next }
}

const nothing = { deciding: null, meaning: null, next: null }

const labelOf = ({ type, state, restricted }: CompanyStanding) =>
  eventLabel({ type, subType: state, status: state, restricted })

const sentenceOf = ({ type, state }: CompanyStanding) => sentences.get(type)?.get(state ?? '')

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

const sentences: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(words).map(([type, states]) => [type, new Map(Object.entries(states))]),
)
