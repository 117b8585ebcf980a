import 'server-only'
import { companyTypes, type EventType } from '#lib/deliveries/rules/event-types.ts'
import {
  failedCompanies,
  failedVerifications,
  openChecks,
  passedChecks,
} from '#lib/deliveries/rules/passed-checks.ts'
import { happenedDays, type LookKind } from '#lib/operations/rules/look-kinds.ts'
import { statesOfAskedType } from '#lib/timeline/tables/standing.ts'

// What the overview lists of people, accounts and companies, by where each stands: counted beside the navigation, and listed where
// the counts lead to. A check of a transaction is not among them.

export type StandingLookKind = Extract<
  LookKind,
  'failed-kyc' | 'duplicate-user' | 'aml' | 'bounced-code' | 'failed-account' | 'failed-company'
>

/** What needs a look of a person; not every role may know of `aml`. */
export const personLooks = [
  'failed-kyc',
  'duplicate-user',
  'aml',
  'bounced-code',
] as const satisfies readonly StandingLookKind[]

/** The types that speak of these. */
export const typesOfLooks = (kinds: readonly StandingLookKind[]): EventType[] =>
  kinds.flatMap((kind) => looks[kind].types)

/**
 * Whether a standing needs a look. Every count and every list asks this: of one row here, of many by `lookStatesOfAskedType`.
 * @param row its alias
 */
export const needsLook = (row: string, kinds: readonly StandingLookKind[]) =>
  `${saysLook(`${row}.type`, `${row}.state`, kinds)} AND ${isFreshLook(row, `${row}.type`, kinds)}`

/** Whether one that says that it needs a look said it lately, and was not muted since. */
const isFreshLook = (row: string, type: string, kinds: readonly StandingLookKind[]) =>
  `${row}.last_move_at >= now() - interval '${happenedDays} days'
     AND ${notMutedAs(`${row}.event_id::text`, `${row}.last_move_at`, kindOf(type, kinds))}`

/**
 * Of several things that need a look and were said of the same subject the last one, so that each is listed and counted once.
 * @param alike which of them are asked for, as SQL of `other`
 */
export const isLastLook = (
  kinds: readonly StandingLookKind[],
  alike = '',
) => `(standing.last_move_at, standing.type) = (
  SELECT other.last_move_at, other.type FROM standing AS other
  WHERE other.subject_id = standing.subject_id AND ${needsLook('other', kinds)} ${alike}
  ORDER BY other.last_move_at DESC, other.type DESC LIMIT 1)`

/** For a FROM that has `asked (type)`: the states of that type that need a look, as `said (state)`. */
export const lookStatesOfAskedType = (kinds: readonly StandingLookKind[]) =>
  `LATERAL (
    SELECT state FROM (${statesOfAskedType}) AS each WHERE ${saysLook('asked.type', 'each.state', kinds)}
  ) AS said`

/** Then the condition of a `standing` of the asked type that needs a look: one range of an index for each state. */
export const isOfLookStates = (kinds: readonly StandingLookKind[]) =>
  `standing.state = said.state AND ${isFreshLook('standing', 'asked.type', kinds)}`

/** @param most how far they are counted, in SQL */
export const peopleToLookAt = (kinds: readonly StandingLookKind[], most: string) =>
  standingLooks(kinds, isLastLook(kinds), most)

export const failedAccountsOf = (most: string) => standingLooks(['failed-account'], 'true', most)

/** Each once, though both its verification and the entity may have failed. */
export const failedCompaniesOf = (most: string) =>
  standingLooks(['failed-company'], isLastLook(['failed-company']), most)

const standingLooks = (kinds: readonly StandingLookKind[], which: string, most: string) => `
  SELECT FROM unnest(${listOf(typesOfLooks(kinds))}) AS asked (type), ${lookStatesOfAskedType(kinds)}, LATERAL (
    SELECT FROM standing
    WHERE standing.type = asked.type AND ${isOfLookStates(kinds)} AND ${which}
    LIMIT ${most}
  ) AS stood LIMIT ${most}`

/** The types of each kind, and which states of theirs need a look. */
const looks: Record<
  StandingLookKind,
  { readonly types: readonly EventType[]; readonly says: (state: string) => string }
> = {
  'failed-kyc': { types: ['KYC'], says: (state) => `${state} = ANY(${listOf(failedVerifications)})` },
  'duplicate-user': { types: ['duplicateUser'], says: (state) => `${state} = 'DUPLICATE_USER'` },
  // Every state but those that say that nothing is wrong.
  aml: { types: ['AML'], says: (state) => `${state} <> ALL(${listOf([...passedChecks, ...openChecks])})` },
  'bounced-code': { types: ['otpNotification'], says: (state) => `${state} = 'EMAIL_DELIVERY_FAILED'` },
  'failed-account': {
    types: ['unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount'],
    says: (state) => `${state} = ANY(${listOf(['FAILED', 'FAILED_CREATION'])})`,
  },
  'failed-company': { types: companyTypes, says: (state) => `${state} = ANY(${listOf(failedCompanies)})` },
}

const isOf = (type: string, kind: StandingLookKind) => `${type} = ANY(${listOf(looks[kind].types)})`

const saysLook = (type: string, state: string, kinds: readonly StandingLookKind[]) =>
  `(${kinds.map((kind) => `${isOf(type, kind)} AND ${looks[kind].says(state)}`).join(' OR ')})`

/** What a mute calls the kind that a type is of; a constant where it can be, for the planner. */
const kindOf = (type: string, kinds: readonly StandingLookKind[]) =>
  kinds.length === 1
    ? kinds.map(quoted).join('')
    : `CASE ${kinds.map((kind) => `WHEN ${isOf(type, kind)} THEN ${quoted(kind)}`).join(' ')} END`

const quoted = (text: string) => `'${text}'`
const listOf = (texts: readonly string[]) => `ARRAY[${texts.map(quoted).join(', ')}]`

/**
 * Whether something has not been muted since, where the kind of thing is told by a row.
 * @param kind in SQL
 */
export const notMutedAs = (about: string, since: string, kind: string) =>
  `NOT EXISTS (SELECT FROM overview_mute AS mute
     WHERE mute.kind = ${kind} AND mute.about = ${about} AND mute.covers_until >= ${since})`
