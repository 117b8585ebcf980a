import 'server-only'
import { companyTypes, type EventType } from '#lib/deliveries/rules/event-types.ts'
import {
  failedCompanies,
  failedVerifications,
  openChecks,
  passedChecks,
} from '#lib/deliveries/rules/passed-checks.ts'
import { happenedDays, type LookKind } from '#lib/operations/rules/look-kinds.ts'
import { unionAll } from '#lib/transactions/index-conditions.ts'

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
 * Whether a standing needs a look. Every count and every list asks this: of one row here, of many by `isLook`.
 * @param row its alias
 */
export const needsLook = (row: string, kinds: readonly StandingLookKind[]) =>
  `${saysLook(`${row}.type`, `${row}.state`, kinds)} AND ${isFreshLook(row, kindOf(`${row}.type`, kinds))}`

/** Whether one that says that it needs a look said it lately, and was not muted since. */
const isFreshLook = (row: string, kind: string) =>
  `${row}.last_move_at >= now() - interval '${happenedDays} days'
     AND ${notMutedAs(`${row}.event_id::text`, `${row}.last_move_at`, kind)}`

/**
 * A subject may have several standings that need attention; only the latest is listed and counted. `alike`
 * restricts them, as SQL of `other`.
 */
export const isLastLook = (kinds: readonly StandingLookKind[], alike = '') =>
  isLast(`${needsLook('other', kinds)} ${alike}`)

/** Whether no other of the same subject moved later, of those that `alike` selects as SQL of `other`. */
export const isLast = (alike: string) => `NOT EXISTS (
  SELECT FROM standing AS other WHERE other.subject_id = standing.subject_id AND ${alike}
    AND (other.last_move_at, other.type) > (standing.last_move_at, standing.type))`

/** The condition of a `standing` of this type that needs a look: a range of an index for each state. */
export const isLook = (type: EventType, kinds: readonly StandingLookKind[]) => {
  const kind = kinds.find((one) => looks[one].types.includes(type))
  if (kind === undefined) return 'false'
  return `${looks[kind].isState} AND ${isFreshLook('standing', quoted(kind))}`
}

/** `most` limits the count, in SQL. */
export const peopleToLookAt = (kinds: readonly StandingLookKind[], most: string) =>
  standingLooks(kinds, isLastLook(kinds), most)

export const failedAccountsOf = (most: string) => standingLooks(['failed-account'], 'true', most)

/** Each company counts once, even when both its verification and the entity have failed. */
export const failedCompaniesOf = (most: string) =>
  standingLooks(['failed-company'], isLastLook(['failed-company']), most)

const standingLooks = (kinds: readonly StandingLookKind[], which: string, most: string) =>
  `SELECT subject_id FROM (${unionAll(
    typesOfLooks(kinds).map(
      (type) => `(
    SELECT subject_id FROM standing WHERE type = '${type}' AND ${isLook(type, kinds)} AND ${which} LIMIT ${most})`,
    ),
  )}) AS listed LIMIT ${most}`

/** The types of each kind, and which of their states need a look: of one row, and of many by an index. */
interface StatesOfLook {
  readonly types: readonly EventType[]
  readonly says: (state: string) => string
  readonly isState: string
}

const looks: Record<StandingLookKind, StatesOfLook> = {
  'failed-kyc': { types: ['KYC'], ...oneOf(failedVerifications) },
  'duplicate-user': { types: ['duplicateUser'], ...oneOf(['DUPLICATE_USER']) },
  aml: { types: ['AML'], ...noneOf('AML', [...passedChecks, ...openChecks]) },
  'bounced-code': { types: ['otpNotification'], ...oneOf(['EMAIL_DELIVERY_FAILED']) },
  'failed-account': {
    types: ['unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount'],
    ...oneOf(['FAILED', 'FAILED_CREATION']),
  },
  'failed-company': { types: companyTypes, ...oneOf(failedCompanies) },
}

function oneOf(states: readonly string[]) {
  const says = (state: string) =>
    states.length === 1 ? `${state} = ${states.map(quoted)}` : `${state} = ANY(${listOf(states)})`
  return { says, isState: says('standing.state') }
}

/** Every other state that came needs a look. An index needs their names, which the counts hold. */
function noneOf(type: EventType, fine: readonly string[]) {
  const says = (state: string) => `${state} <> ALL(${listOf(fine)})`
  return {
    says,
    isState: `standing.state = ANY(ARRAY(
      SELECT state FROM standing_count WHERE type = '${type}' AND ${says('state')} GROUP BY state))`,
  }
}

const isOf = (type: string, kind: StandingLookKind) => `${type} = ANY(${listOf(looks[kind].types)})`

const saysLook = (type: string, state: string, kinds: readonly StandingLookKind[]) =>
  `(${kinds.map((kind) => `${isOf(type, kind)} AND ${looks[kind].says(state)}`).join(' OR ')})`

/** A snooze names the kind of a type; it is a constant when possible, for the planner. */
const kindOf = (type: string, kinds: readonly StandingLookKind[]) =>
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
export const notMutedAs = (about: string, since: string, kind: string) =>
  `NOT EXISTS (SELECT FROM overview_mute AS mute
     WHERE mute.kind = ${kind} AND mute.about = ${about} AND mute.covers_until >= ${since})`
