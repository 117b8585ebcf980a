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

// The overview lists these kinds by the status of people, accounts and companies. The navigation shows the same
// counts. A check of a transaction is not among them.

export type StandingLookKind = Extract<
  LookKind,
  'failed-kyc' | 'duplicate-user' | 'aml' | 'bounced-code' | 'failed-account' | 'failed-company'
>

/** A person needs attention for these kinds; not every role may know of `aml`. */
export const personLooks = [
  'failed-kyc',
  'duplicate-user',
  'aml',
  'bounced-code',
] as const satisfies readonly StandingLookKind[]

/** Events of these types give the kinds. */
export const typesOfLooks = (kinds: readonly StandingLookKind[]): EventType[] =>
  kinds.flatMap((kind) => looks[kind].types)

/**
 * The condition is true when a standing needs attention. Every count and list uses it: for one row here, for many
 * in `lookStatesOfAskedType`. `row` is the alias of the standing.
 */
export const needsLook = (row: string, kinds: readonly StandingLookKind[]) =>
  `${saysLook(`${row}.type`, `${row}.state`, kinds)} AND ${isFreshLook(row, `${row}.type`, kinds)}`

/** The standing moved lately, and was not snoozed since. */
const isFreshLook = (row: string, type: string, kinds: readonly StandingLookKind[]) =>
  `${row}.last_move_at >= now() - interval '${happenedDays} days'
     AND ${notMutedAs(`${row}.event_id::text`, `${row}.last_move_at`, kindOf(type, kinds))}`

/**
 * A subject may have several standings that need attention; only the latest is listed and counted. `alike`
 * restricts them, as SQL of `other`.
 */
export const isLastLook = (
  kinds: readonly StandingLookKind[],
  alike = '',
) => `(standing.last_move_at, standing.type) = (
  SELECT other.last_move_at, other.type FROM standing AS other
  WHERE other.subject_id = standing.subject_id AND ${needsLook('other', kinds)} ${alike}
  ORDER BY other.last_move_at DESC, other.type DESC LIMIT 1)`

/** A FROM with `asked (type)` gets the states of that type that need attention, as `said (state)`. */
export const lookStatesOfAskedType = (kinds: readonly StandingLookKind[]) =>
  `LATERAL (
    SELECT state FROM (${statesOfAskedType}) AS each WHERE ${saysLook('asked.type', 'each.state', kinds)}
  ) AS said`

/**
 * The condition follows `lookStatesOfAskedType`: a `standing` of the asked type needs attention. It reads one range
 * of an index for each state.
 */
export const isOfLookStates = (kinds: readonly StandingLookKind[]) =>
  `standing.state = said.state AND ${isFreshLook('standing', 'asked.type', kinds)}`

/** `most` limits the count, in SQL. */
export const peopleToLookAt = (kinds: readonly StandingLookKind[], most: string) =>
  standingLooks(kinds, isLastLook(kinds), most)

export const failedAccountsOf = (most: string) => standingLooks(['failed-account'], 'true', most)

/** Each company counts once, even when both its verification and the entity have failed. */
export const failedCompaniesOf = (most: string) =>
  standingLooks(['failed-company'], isLastLook(['failed-company']), most)

const standingLooks = (kinds: readonly StandingLookKind[], which: string, most: string) => `
  SELECT FROM unnest(${listOf(typesOfLooks(kinds))}) AS asked (type), ${lookStatesOfAskedType(kinds)}, LATERAL (
    SELECT FROM standing
    WHERE standing.type = asked.type AND ${isOfLookStates(kinds)} AND ${which}
    LIMIT ${most}
  ) AS stood LIMIT ${most}`

/** Each kind has its types, and a condition for the states that need attention. */
const looks: Record<
  StandingLookKind,
  { readonly types: readonly EventType[]; readonly says: (state: string) => string }
> = {
  'failed-kyc': { types: ['KYC'], says: (state) => `${state} = ANY(${listOf(failedVerifications)})` },
  'duplicate-user': { types: ['duplicateUser'], says: (state) => `${state} = 'DUPLICATE_USER'` },
  // Every state counts, except those that say that nothing is wrong.
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

/** A snooze names the kind of a type; it is a constant when possible, for the planner. */
const kindOf = (type: string, kinds: readonly StandingLookKind[]) =>
  kinds.length === 1
    ? kinds.map(quoted).join('')
    : `CASE ${kinds.map((kind) => `WHEN ${isOf(type, kind)} THEN ${quoted(kind)}`).join(' ')} END`

const quoted = (text: string) => `'${text}'`
const listOf = (texts: readonly string[]) => `ARRAY[${texts.map(quoted).join(', ')}]`

/** The item is not snoozed. `kind` is SQL, so a row can give it. */
export const notMutedAs = (about: string, since: string, kind: string) =>
  `NOT EXISTS (SELECT FROM overview_mute AS mute
     WHERE mute.kind = ${kind} AND mute.about = ${about} AND mute.covers_until >= ${since})`
