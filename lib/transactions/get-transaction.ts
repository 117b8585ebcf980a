import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { revealableFields, showRecord } from '#lib/access/rules/records.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { countReading } from '#lib/audit/counted-entries.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce, textParameter } from '#lib/platform/db/statements.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { nothingToSee, visibleText } from '#lib/platform/rules/pasted-text.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { readDetails } from '#lib/timeline/subject-details.ts'
import {
  type TransactionParties,
  type TransactionRow,
  toParties,
  toShownDuration,
} from '#lib/timeline/tables/transaction.ts'
import { laterStatus } from '#lib/words/labels/worst-first.ts'
import { directionConditions, unionAll } from './row-condition.ts'
import { type VerificationTurn, verificationTurn } from './rules/circumstances.ts'
import { type TransactionView, toTransactionViews } from './transaction-view.ts'

/**
 * The transaction comes with its timeline, as the caller's role may see it; null when there is none. The audit
 * counts the reading. Throws `NotAllowed`.
 */
export async function getTransaction(caller: Caller, uuid: string): Promise<TransactionDetailsView | null> {
  requirePermission(caller, 'see-everything')
  const id = subjectId({ kind: 'transaction', id: textParameter(uuid).trim().toLowerCase() })
  const { rows } = await pool().query<TransactionRow>('SELECT * FROM transaction WHERE subject_id = $1', [id])
  const [found] = rows
  const [view] = await toTransactionViews(caller.role, rows)
  if (!found || !view) return null
  await countReading(caller, 'read.transaction', view.uuid, found.user_uuid)
  const more = {
    parties: withVisibleNames(toParties(found.details)),
    lastReceivedAt: found.details.lastReceivedAt ?? view.lastMoveAt,
    durationSeconds: toShownDuration(found.details, found.finished_at),
  }
  return {
    ...view,
    ...showRecord(caller.role, 'transaction', more),
    turn: (await readTurns(rows)).get(found.subject_id) ?? null,
    revealable: revealableFields(caller.role, 'transaction', more),
    events: await readDetails(caller.role, id),
  }
}

/** Each of these transactions that is held for KYC gets whose turn the verification is, by `subject_id`. */
export async function readTurns(
  rows: readonly Pick<TransactionRow, 'subject_id' | 'step' | 'reason' | 'user_uuid'>[],
): Promise<ReadonlyMap<string, VerificationTurn>> {
  const held = rows.filter(({ step, reason }) => step === 'ON_HOLD' && reason === 'ON_HOLD_KYC')
  const found = await readVerifications(held.flatMap(({ user_uuid }) => user_uuid ?? []))
  return new Map(
    held.map(({ subject_id, user_uuid }) => [
      subject_id,
      verificationTurn((found.get(user_uuid ?? '') ?? []).map(({ state }) => state)),
    ]),
  )
}

/** `Verification` is a status of KYC or KYB by the later word, of the service or of the events (`laterStatus`). */
interface Verification {
  readonly type: 'KYC' | 'KYB'
  readonly state: string | null
}

/** Each of these people and companies gets the statuses of its verification, by uuid. The caller has checked access. */
export async function readVerifications(
  userUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly Verification[]>> {
  if (userUuids.length === 0) return new Map()
  const subjects = userUuids.map((id) => subjectId({ kind: 'entity', id }))
  const { rows } = await pool().query<VerificationRow>({
    ...VERIFICATIONS,
    values: [userUuids.filter(isLowerCaseUuid), subjects],
  })
  const bySubject = Map.groupBy(rows, ({ subject_id }) => subject_id)
  return new Map(
    userUuids.map((id) => [id, toVerifications(bySubject.get(subjectId({ kind: 'entity', id })) ?? [])]),
  )
}

interface VerificationRow {
  readonly subject_id: string
  /** `SAID`: the service gave this status. */
  readonly type: 'SAID' | 'KYC' | 'KYB'
  readonly state: string | null
  readonly at: Date
  readonly doubt: boolean
}

function toVerifications(rows: readonly VerificationRow[]): readonly Verification[] {
  const [said] = rows.filter(({ type }) => type === 'SAID')
  const byEvents = rows.flatMap(({ type, state, at, doubt }) =>
    type === 'SAID' ? [] : [{ type, state, lastMoveAt: at.toISOString(), doubt }],
  )
  const state = laterStatus(
    said ? { status: said.state, statusAt: said.at.toISOString() } : null,
    byEvents.filter(({ type }) => type === 'KYC'),
  )
  return state === null
    ? byEvents
    : [{ type: 'KYC', state }, ...byEvents.filter(({ type }) => type !== 'KYC')]
}

/** `doubt` is that of `readDoubts`. */
const VERIFICATIONS = planOnce(`
  SELECT 'entity:' || user_uuid::text AS subject_id, 'SAID' AS type, status AS state, updated_at AS at, false AS doubt
  FROM person WHERE user_uuid = ANY($1::uuid[])
  UNION ALL
  SELECT subject_id, type, state, last_move_at, EXISTS (
    SELECT 1 FROM event WHERE event.subject_id = standing.subject_id AND event.type = standing.type
      AND 'decisive' = ANY(event.flags))
  FROM standing WHERE subject_id = ANY($2::text[]) AND type IN ('KYC', 'KYB')`)

/** Names are made safe, because characters in them could reverse the text beside them. */
const withVisibleNames = ({ sender, beneficiary, ...parties }: TransactionParties): TransactionParties => ({
  ...parties,
  sender: sender && { ...sender, name: shownName(sender.name) },
  beneficiary: beneficiary && {
    ...beneficiary,
    name: shownName(beneficiary.name),
    bankName: shownName(beneficiary.bankName),
  },
})

const shownName = (name: string | null) => name && (visibleText(name) ?? nothingToSee)

/** A transaction is shown with everything that is known about it. */
export interface TransactionDetailsView extends TransactionView {
  readonly parties: TransactionParties
  /** The latest delivery about it counts, repetitions included. */
  readonly lastReceivedAt: string
  /**
   * The duration is the difference of the shown times of creation and outcome; null while open, or when a time is unknown.
   */
  readonly durationSeconds: number | null
  /** The verification of the customer is at this turn; null when the transaction is not held for KYC. */
  readonly turn: VerificationTurn | null
  /** The caller may reveal these masked fields, such as `parties.sender.iban`. */
  readonly revealable: readonly string[]
  /** The events of the timeline are in order. */
  readonly events: readonly EventDetailsView[]
}

/** The request names at most 200 ids, as many as a page of a list may have. */
export const ReadTransactionsSchema = z.object({
  uuids: z.array(z.string().regex(/^[^\0]{1,300}$/)).max(200),
})

/** The transactions are returned as they are now; missing ones are left out. Throws `NotAllowed`. */
export async function readTransactions(
  caller: Caller,
  { uuids }: z.output<typeof ReadTransactionsSchema>,
): Promise<TransactionView[]> {
  requirePermission(caller, 'see-everything')
  return transactionsOf(
    caller.role,
    uuids.map((id) => subjectId({ kind: 'transaction', id })),
  )
}

/** The existing transactions of these subjects are returned by id, as the role may see them. */
export async function transactionsOf(
  role: StaffRole,
  subjectIds: readonly string[],
): Promise<TransactionView[]> {
  if (subjectIds.length === 0) return []
  const { rows } = await pool().query<TransactionRow>(
    'SELECT * FROM transaction WHERE subject_id = ANY($1) ORDER BY subject_id',
    [subjectIds],
  )
  return toTransactionViews(role, rows)
}

/** The neighbours are the transactions before and after this one in the list of all, newest first; null at its ends. */
export interface Neighbours {
  readonly newer: string | null
  readonly older: string | null
}

/** A page that was not opened from a list uses these neighbours. Throws `NotAllowed`. */
export async function readNeighbours(
  caller: Caller,
  { startedAt, subjectId }: Pick<TransactionView, 'startedAt' | 'subjectId'>,
): Promise<Neighbours> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<{ side: keyof Neighbours; uuid: string }>({
    ...NEIGHBOURS,
    values: [startedAt, subjectId],
  })
  const on = (side: keyof Neighbours) => rows.find((row) => row.side === side)?.uuid ?? null
  return { newer: on('newer'), older: on('older') }
}

/** The nearest transaction on this side, by the index of the list. */
function nearest(side: keyof Neighbours, beyond: '<' | '>', order: string): string {
  const candidates = directionConditions.map(
    ({ sql }) => `(
    SELECT uuid, started_at, subject_id FROM transaction
    WHERE ${sql} AND (started_at, subject_id) ${beyond} ($1::timestamptz, $2::text) ${order} LIMIT 1)`,
  )
  return `(SELECT '${side}' AS side, uuid FROM (${unionAll(candidates)}) AS candidate ${order} LIMIT 1)`
}

const NEIGHBOURS = planOnce(`
  SELECT side, uuid FROM (
    ${nearest('newer', '>', 'ORDER BY started_at, subject_id')}
    UNION ALL
    ${nearest('older', '<', 'ORDER BY started_at DESC, subject_id DESC')}
  ) AS nearest`)

const most = 6

/** Up to six other transactions of the same user are listed; the nearest in time come first. Throws `NotAllowed`. */
export async function listOthersOfUser(
  caller: Caller,
  { subjectId, userUuid, startedAt }: Pick<TransactionView, 'subjectId' | 'userUuid' | 'startedAt'>,
): Promise<TransactionView[]> {
  requirePermission(caller, 'see-everything')
  if (userUuid === null) return []
  const { rows } = await pool().query<TransactionRow>({
    ...OTHERS,
    values: [userUuid, subjectId, startedAt, most],
  })
  return toTransactionViews(caller.role, rows)
}

const OTHERS = planOnce(`
  SELECT * FROM (
    (SELECT * FROM transaction WHERE user_uuid = $1 AND subject_id <> $2 AND started_at <= $3::timestamptz
     ORDER BY started_at DESC LIMIT $4)
    UNION ALL
    (SELECT * FROM transaction WHERE user_uuid = $1 AND subject_id <> $2 AND started_at > $3::timestamptz
     ORDER BY started_at LIMIT $4)
  ) AS near
  ORDER BY abs(extract(epoch FROM started_at - $3::timestamptz)), subject_id LIMIT $4`)
