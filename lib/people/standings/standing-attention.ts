import 'server-only'
import { companyTypes, type EventType } from '#lib/deliveries/rules/event-types.ts'
import {
  failedCompanies,
  failedVerifications,
  openChecks,
  passedChecks,
} from '#lib/deliveries/rules/passed-checks.ts'
import { type AttentionKind, happenedDays } from '#lib/operations/rules/attention-kinds.ts'
import { uuidPattern } from '#lib/platform/rules/ids.ts'
import { unionAll } from '#lib/transactions/row-condition.ts'

// The overview lists these kinds by the status of people, accounts and companies. The navigation shows the same
// counts. A check of a transaction is not among them.

export type StandingAttentionKind = Extract<
  AttentionKind,
  'failed-kyc' | 'duplicate-user' | 'aml' | 'bounced-code' | 'failed-account' | 'failed-company'
>

/** A person needs attention for these kinds; not every role may know of `aml`. */
export const personAttentionKinds = [
  'failed-kyc',
  'duplicate-user',
  'aml',
  'bounced-code',
] as const satisfies readonly StandingAttentionKind[]

/** Events of these types give the kinds. */
export const typesOfKinds = (kinds: readonly StandingAttentionKind[]): EventType[] =>
  kinds.flatMap((kind) => attentionKinds[kind].types)

/**
 * The condition is true when a standing needs attention. Every count and every list uses it. `row` is the alias of
 * the standing.
 */
export const needsAttention = (row: string, kinds: readonly StandingAttentionKind[]) =>
  `${isStateOfAttention(row, kinds)} AND ${isRecentAndNotSnoozed(row, kindOf(`${row}.type`, kinds))}`

/** The standing became so lately, and was not snoozed since. */
const isRecentAndNotSnoozed = (row: string, kind: string) =>
  `${row}.last_move_at >= now() - interval '${happenedDays} days'
     AND ${notSnoozedAs(`${row}.event_id::text`, `${row}.last_move_at`, kind)}`

/**
 * A subject may have several standings that need attention; only the latest is listed and counted. `alike`
 * restricts them, as SQL of `other`.
 */
export const isLastNeedingAttention = (kinds: readonly StandingAttentionKind[], alike = '') =>
  isLast(`${needsAttention('other', kinds)} ${alike}`)

/** No other standing of the subject moved later, among those that `alike` selects as SQL of `other`. */
export const isLast = (alike: string) => `NOT EXISTS (
  SELECT FROM standing AS other WHERE other.subject_id = standing.subject_id AND ${alike}
    AND (other.last_move_at, other.type) > (standing.last_move_at, standing.type))`

/**
 * A `standing` of this type that needs attention meets one of these conditions. Each is a range of an index, in the order in
 * which the standings moved: for several states at once the planner may read the whole type instead.
 */
export const attentionConditions = (type: EventType, kinds: readonly StandingAttentionKind[]) => {
  const kind = kinds.find((one) => attentionKinds[one].types.includes(type))
  if (kind === undefined) return []
  return attentionKinds[kind]
    .each('standing')
    .map(
      (state) =>
        `standing.type = '${type}' AND ${state} AND ${isRecentAndNotSnoozed('standing', quoted(kind))}`,
    )
}

/** `most` limits the count, in SQL. */
export const peopleNeedingAttention = (kinds: readonly StandingAttentionKind[], most: string) =>
  standingAttentionItems(kinds, isLastNeedingAttention(kinds), most)

export const failedAccountsOf = (most: string) => standingAttentionItems(['failed-account'], 'true', most)

/** Each company counts once, even when both its verification and the entity have failed. */
export const failedCompaniesOf = (most: string) =>
  standingAttentionItems(['failed-company'], isLastNeedingAttention(['failed-company']), most)

const standingAttentionItems = (kinds: readonly StandingAttentionKind[], which: string, most: string) =>
  `SELECT subject_id FROM (${unionAll(
    conditionsOfKinds(kinds).map(
      (condition) => `(
    SELECT subject_id FROM standing WHERE ${condition} AND ${which} LIMIT ${most})`,
    ),
  )}) AS listed LIMIT ${most}`

/** Events of these types give the kinds, each in the states that need attention. */
export const conditionsOfKinds = (kinds: readonly StandingAttentionKind[]): string[] =>
  typesOfKinds(kinds).flatMap((type) => attentionConditions(type, kinds))

/** The types of each kind, and the conditions of which a state that needs attention meets one. */
interface StatesOfAttention {
  readonly types: readonly EventType[]
  /** `row` is the alias of the standing. */
  readonly each: (row: string) => readonly string[]
}

const attentionKinds: Record<StandingAttentionKind, StatesOfAttention> = {
  'failed-kyc': { types: ['KYC'], each: oneOf(failedVerifications) },
  'duplicate-user': { types: ['duplicateUser'], each: oneOf(['DUPLICATE_USER']) },
  aml: { types: ['AML'], each: noneOf([...passedChecks, ...openChecks]) },
  'bounced-code': {
    types: ['otpNotification'],
    each: (row) => [`${row}.state = 'EMAIL_DELIVERY_FAILED' AND ${usedNoCodeSince(row)}`],
  },
  'failed-account': {
    types: ['unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount'],
    each: oneOf(['FAILED', 'FAILED_CREATION']),
  },
  'failed-company': { types: companyTypes, each: oneOf(failedCompanies) },
}

function oneOf(states: readonly string[]) {
  return (row: string) => states.map((one) => `${row}.state = ${quoted(one)}`)
}

/**
 * A person who has used a code since the bounce was received needs none any more. `readBounces` counts from the time that the
 * event gives, which no column has: where the event came only after that code was used, the person stays listed, while their
 * page says nothing of it. Sessions are on one server, so they are read at once for everybody whose code bounced lately.
 */
const usedNoCodeSince = (row: string) => `NOT EXISTS (SELECT FROM (
     SELECT 'entity:' || user_uuid AS subject_id, max(created_at) AS at FROM session
     WHERE method = 'code' AND user_uuid = ANY(ARRAY(
       SELECT substring(bounced.subject_id FROM '^entity:(${uuidPattern})$')::uuid FROM standing AS bounced
       WHERE bounced.type = 'otpNotification' AND bounced.last_move_at >= now() - interval '${happenedDays} days'))
     GROUP BY user_uuid) AS used
   WHERE used.subject_id = ${row}.subject_id AND used.at > ${row}.last_move_at)`

/** Every other state needs attention, also an unknown one. The index `standing_unclear_check_idx` has the same condition. */
function noneOf(fine: readonly string[]) {
  return (row: string) => [`${row}.state <> ALL(${listOf(fine)})`]
}

const isOf = (type: string, kind: StandingAttentionKind) => isOneOf(type, attentionKinds[kind].types)

/** The planner knows more of an equality than of a list. */
function isOneOf(text: string, values: readonly string[]) {
  return values.length === 1 ? `${text} = ${values.map(quoted).join('')}` : `${text} = ANY(${listOf(values)})`
}

const isStateOfAttention = (row: string, kinds: readonly StandingAttentionKind[]) =>
  `(${kinds.map((kind) => `${isOf(`${row}.type`, kind)} AND (${attentionKinds[kind].each(row).join(' OR ')})`).join(' OR ')})`

/** A snooze names the kind of a type; it is a constant when possible, for the planner. */
const kindOf = (type: string, kinds: readonly StandingAttentionKind[]) =>
  kinds.length === 1
    ? kinds.map(quoted).join('')
    : `CASE ${kinds.map((kind) => `WHEN ${isOf(type, kind)} THEN ${quoted(kind)}`).join(' ')} END`

function quoted(text: string) {
  return `'${text}'`
}

function listOf(texts: readonly string[]) {
  return `ARRAY[${texts.map(quoted).join(', ')}]`
}

/** The item is not snoozed. `kind` is SQL, so a row can give it. */
export const notSnoozedAs = (about: string, since: string, kind: string) =>
  `NOT EXISTS (SELECT FROM overview_mute AS mute
     WHERE mute.kind = ${kind} AND mute.about = ${about} AND mute.covers_until >= ${since})`
