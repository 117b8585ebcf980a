import 'server-only'
import { type Caller, requirePermission, requireServiceUser } from '#lib/access/caller.ts'
import { customerEventTypes } from '#lib/access/rules/events.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { showValue } from '#lib/access/rules/visibility.ts'
import { countAudit } from '#lib/audit/counted-entries.ts'
import { type Direction, movesOf } from '#lib/deliveries/rules/steps.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { fullName } from '#lib/identity/users/person-texts.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { pageOf } from '#lib/platform/paging/paging.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { only, toView, type ViewOf } from '#lib/timeline/tables/table.ts'
import {
  type TransactionParties,
  type TransactionRow,
  toParties,
  toShownDuration,
  transactionTable,
} from '#lib/timeline/tables/transaction.ts'
import { readTurns } from '#lib/transactions/get-transaction.ts'
import { customerReason, type VerificationTurn } from '#lib/transactions/rules/circumstances.ts'
import { isMoving } from '#lib/transactions/rules/is-stuck.ts'
import { isRefundDoubted, refundOf } from '#lib/transactions/rules/refund.ts'
import { readStuckCheck, type StuckCheck } from '#lib/transactions/usual-times.ts'

const own = only(
  transactionTable,
  'subjectId',
  'uuid',
  'direction',
  'step',
  'reason',
  'amountFiat',
  'amountCrypto',
  'amountRefunded',
  'fees',
  'limit',
  'currencyFiat',
  'currencyCrypto',
  'chain',
  'transactionHash',
  'startedAt',
  'finishedAt',
)

/** `OwnTransactionView` is a customer's own transaction. A member of staff sees here what a customer sees. */
export interface OwnTransactionView extends ViewOf<typeof own> {
  /** The outcome contradicts another of its steps, or its own amount, or that amount is not readable. */
  readonly conflict: boolean
  /** The transaction is late, see `isStuck`. */
  readonly stuck: boolean
}

/** `OWN_TRANSACTIONS` gives such rows. */
interface OwnTransactionRow extends TransactionRow {
  /** The first event that the owner may know of came then; another event may have come before. */
  readonly own_started_at: Date
}

function toOwnTransactionView(row: OwnTransactionRow, isStuck: StuckCheck): OwnTransactionView {
  const view = toView(own, { ...row, started_at: row.own_started_at })
  const refund = refundOf({ ...view, flags: row.flags })
  return showRecord('end-user', 'transaction', {
    ...view,
    amountRefunded: refund?.doubt == null ? view.amountRefunded : null,
    conflict: row.flags.includes('conflict') || isRefundDoubted(view.step, refund, row.flags),
    stuck: isStuck(row),
  })
}

/**
 * The query gives one user's transactions (`$1`) with an event that the user may know of (types in `$2`);
 * conditions follow. A transaction that only other events have named does not exist for its owner.
 */
const OWN_TRANSACTIONS = `
  SELECT transaction.*, own.started_at AS own_started_at FROM transaction, LATERAL (
    SELECT min(first_received_at) AS started_at FROM event
    WHERE event.subject_id = transaction.subject_id AND type = ANY($2::text[])
  ) AS own
  WHERE user_uuid = $1 AND own.started_at IS NOT NULL`

export interface OwnTransactionPage {
  readonly rows: readonly OwnTransactionView[]
  /** `next` is the value of `after` for the next page; null on the last page. */
  readonly next: string | null
}

const pageLength = 20

/**
 * The caller's own transactions come newest first, by the time that is shown: another order would tell of events that
 * customers must not know of. `after` is the last transaction on the page before. Throws `CursorRefused`, also when
 * that transaction is gone.
 */
export async function listOwnTransactions(
  caller: Caller,
  after: string | undefined,
): Promise<OwnTransactionPage> {
  requirePermission(caller, 'see-own')
  if (after !== undefined && !isLowerCaseUuid(after)) throw new CursorRefused()
  const last = after === undefined ? null : subjectId({ kind: 'transaction', id: after })
  const { rows } = await pool().query<OwnTransactionRow>(PAGE, [
    requireServiceUser(caller),
    customerEventTypes,
    last,
    pageLength + 1,
  ])
  if (after !== undefined && rows.length === 0) throw new CursorRefused()
  const { listed, next } = pageOf(rows, pageLength, ({ uuid }) => uuid)
  const isStuck = await readStuckCheck()
  return { rows: listed.map((row) => toOwnTransactionView(row, isStuck)), next }
}

const PAGE = `
  WITH listed AS NOT MATERIALIZED (${OWN_TRANSACTIONS})
  SELECT * FROM listed
  WHERE $3::text IS NULL OR (own_started_at, subject_id) <
    (SELECT own_started_at, subject_id FROM listed WHERE subject_id = $3)
  ORDER BY own_started_at DESC, subject_id DESC LIMIT $4`

const log = logOf('account')

/** A customer's own transaction comes with its steps in order. */
export interface OwnTransactionDetailsView extends OwnTransactionView {
  /**
   * The duration is the difference of the shown times, from creation to outcome; null while open, or when a time is
   * unknown.
   */
  readonly durationSeconds: number | null
  /** The caller's own verification is at this turn; null when the transaction is not held for KYC. */
  readonly turn: VerificationTurn | null
  readonly steps: readonly OwnStepView[]
  /** The customer and the wallets between which the stablecoin moves are given as far as they are known. */
  readonly customer: { readonly name: string | null; readonly email: string | null }
  readonly parties: Pick<TransactionParties, 'walletAddress' | 'sendingAddress'>
}

/** Customers see this step. Times are ISO 8601 and times of receipt. */
export interface OwnStepView {
  readonly id: string
  readonly step: string
  readonly reason: string | null
  readonly at: string
  /** The step happened before `at`, which is then the time of another step. */
  readonly before: boolean
}

/**
 * One of the caller's own transactions is given. Somebody else's is null, exactly like one that does not exist, but
 * the audit counts it as a denied attempt.
 */
export async function getOwnTransaction(
  caller: Caller,
  uuid: string,
): Promise<OwnTransactionDetailsView | null> {
  requirePermission(caller, 'see-own')
  const id = subjectId({ kind: 'transaction', id: textParameter(uuid).trim().toLowerCase() })
  const own = [requireServiceUser(caller), customerEventTypes, id]
  const [{ rows }, steps, isStuck, people] = await Promise.all([
    pool().query<OwnTransactionRow>(`${OWN_TRANSACTIONS} AND transaction.subject_id = $3`, own),
    pool().query<StepRow>(STEPS, own),
    readStuckCheck(),
    pool().query<PersonRow>(PERSON, own.slice(0, 1)),
  ])
  const [found] = rows
  if (!found) {
    // The count is not awaited: an answer must not take longer because somebody else has this transaction.
    void countIfForeign(caller, id).catch(noting(log)('warn', 'A refused attempt was not counted'))
    return null
  }
  const turn = (await readTurns(rows)).get(found.subject_id) ?? null
  const { walletAddress, sendingAddress } = toParties(found.details)
  const details = showRecord('end-user', 'transaction', {
    durationSeconds: toShownDuration(found.details, found.finished_at),
    parties: { walletAddress, sendingAddress },
  })
  const [person] = people.rows
  const customer = { name: person ? fullName(person) : null, email: person?.email ?? null }
  return {
    ...toOwnTransactionView({ ...found, reason: customerReason(found.reason, turn) }, isStuck),
    ...details,
    turn,
    customer: showRecord('end-user', 'person', customer),
    steps: movesOf(steps.rows, ({ type }) => type).flatMap((step) =>
      toStepView({ ...step, status: customerReason(step.status, turn) }),
    ),
  }
}

interface PersonRow {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string | null
}

const PERSON = 'SELECT first_name, last_name, email FROM person WHERE user_uuid = $1'

interface StepRow {
  readonly id: string
  readonly type: string | null
  readonly sub_type: string | null
  readonly status: string | null
  readonly first_received_at: Date
  readonly placed_before: Date | null
}

/** Customers do not see a step that we have no words for. */
function toStepView(row: StepRow): OwnStepView[] {
  const step = showValue('end-user', 'state', row.sub_type)
  if (step === null) return []
  const reason = showValue('end-user', 'state', row.status)
  const at = (row.placed_before ?? row.first_received_at).toISOString()
  return [{ id: row.id, step, reason, at, before: row.placed_before !== null }]
}

const STEPS = `
  SELECT id, type, sub_type, status, first_received_at, placed_before FROM event
  WHERE subject_id = $3 AND type = ANY($2::text[]) AND entity_uuid = $1 ORDER BY position`

async function countIfForeign(caller: Caller, id: string): Promise<void> {
  const { rows } = await pool().query('SELECT FROM transaction WHERE subject_id = $1', [id])
  if (rows.length > 0)
    await countAudit(caller, { action: 'access.denied', target: 'own transactions', outcome: 'refused' })
}

/**
 * Transactions of one direction took this long from their creation to success. The customer who waits for one sees
 * it.
 */
export interface UsualDuration {
  /** Half of them took at most this many seconds. */
  readonly usualSeconds: number
  /** 19 of 20 took at most this many seconds. */
  readonly mostSeconds: number
  /** The figures come from this many transactions. */
  readonly count: number
}

/** The history covers the last `days` and at most `most` transactions; with less than `fewest` there are no figures. */
const days = 90
const most = 500
const fewest = 40

/** A process keeps the figures for this many milliseconds. */
const keptMs = 600_000

const kept = keepFor(keptMs, readFrom)

/** Somebody waits for this transaction. */
interface Awaited {
  readonly direction: Direction | null
  readonly step: string | null
  readonly stuck: boolean
  readonly startedAt: string
}

/**
 * The figures come from this merchant’s own history of the last 90 days. Null when that is too short, when nobody
 * can say how long a step takes, such as a hold, and once the transaction is late or has taken longer than nearly
 * all others.
 */
export async function readUsualDuration(
  caller: Caller,
  { direction, step, stuck, startedAt }: Awaited,
): Promise<UsualDuration | null> {
  requirePermission(caller, 'see-own')
  if (direction === null || stuck || !isMoving(step)) return null
  const usual = await kept.read(direction)
  const seconds = (Date.now() - Date.parse(startedAt)) / 1000
  return usual && seconds <= usual.mostSeconds ? usual : null
}

/** The next call reads the history again. */
export const forgetUsualDurations = (): void => kept.forget()

async function readFrom(direction: Direction): Promise<UsualDuration | null> {
  const { rows } = await pool().query<UsualDurationRow>(READ, [direction, days, most])
  const { count, usualSeconds, mostSeconds } = rows[0] ?? { count: 0, usualSeconds: null, mostSeconds: null }
  if (count < fewest || usualSeconds === null || mostSeconds === null) return null
  return { count, usualSeconds, mostSeconds }
}

interface UsualDurationRow {
  readonly count: number
  /** Both are null where no transaction was found. */
  readonly usualSeconds: number | null
  readonly mostSeconds: number | null
}

/** The index of a direction’s transactions at one step is used, so the number of rows read stays the same. */
const READ = `
  SELECT count(*)::int AS count,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds) AS "usualSeconds",
         percentile_disc(0.95) WITHIN GROUP (ORDER BY seconds) AS "mostSeconds"
  FROM (
    SELECT (details->>'durationSeconds')::float8 AS seconds FROM transaction
    WHERE COALESCE(direction, '') = $1 AND step = 'SUCCESS'
      AND last_move_at >= now() - $2 * interval '1 day'
    ORDER BY last_move_at DESC LIMIT $3
  ) AS latest
  WHERE seconds IS NOT NULL`
