import 'server-only'
import type pg from 'pg'
import { shortenEnvelope } from '#lib/access/rules/events.ts'
import { isQueued } from '#lib/deliveries/queue/read-queue-state.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { canonicalJson } from '#lib/deliveries/rules/json.ts'
import { closeConnection, connect } from '#lib/platform/db/connect.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/lease.ts'
import { advisoryLocks, isLockTimeout } from '#lib/platform/db/locks.ts'
import { type DeliveryMonth, firstId } from '#lib/platform/db/partitions.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'
import { bodiesOf } from '#lib/timeline/projector/bodies.ts'
import {
  countChanges,
  countStandingChanges,
  readCounted,
  readStandingCounts,
  slotOfOthers,
} from '#lib/timeline/projector/count-transactions.ts'
import { requireWholeLog } from '#lib/timeline/projector/lost-months.ts'
import { shareWrites, stopWrites } from '#lib/timeline/projector/shard-leases.ts'
import { rulesVersion } from '#lib/timeline/rules/fold.ts'
import { isOld, type LogCutoffs, listOldMonths } from './plan-removal.ts'

/**
 * One transaction handles at most this many deliveries and events, or subjects. `pause` is the milliseconds after it.
 */
const rowsOfStep = 500
const subjectsOfStep = 100
const deliveriesOfStep = 2_000
const pause = 20

/** Another process may continue this many milliseconds after the last step of this one. */
const leaseMs = 30_000

/** A step reports a count, or a month. */
export type RemovalStep =
  | { readonly kind: 'subjects' | 'bodies'; readonly count: number }
  | { readonly kind: 'dropped' | 'not-dropped'; readonly month: string }

/** The error says why nothing can be removed now. The removal is tried again later. */
export class RemovalWaits extends Error {}

/**
 * `removeMonths` removes what is older than the cutoffs, in small transactions with pauses, and drops each month that
 * is then empty. The next run continues an interrupted one. It throws `MonthsLost`, and `RemovalWaits` while another
 * process does the same or reads these bodies. Decision 0116.
 * @param ownerUrl the database's address for the tables' owner, who alone may drop a month
 */
export async function* removeMonths(
  pool: pg.Pool,
  ownerUrl: string,
  cutoffs: LogCutoffs,
): AsyncGenerator<RemovalStep, void> {
  await requireWholeLog(pool)
  const job = new Job('retention', leaseMs)
  await takeTurn(pool, job)
  try {
    if (cutoffs.events !== null) yield* removeSubjects(pool, job, cutoffs.events)
    let from = firstId
    let blocked = false
    for (const month of await listOldMonths(pool, cutoffs)) {
      if (cutoffs.bodies !== null && month.to <= cutoffs.bodies)
        yield* moveBodies(pool, job, { from, to: month.to })
      from = month.to
      // A session that blocks the drop of one month blocks the others too.
      if (blocked || !(await isEmpty(pool, month))) continue
      blocked = !(await dropMonth(ownerUrl, month))
      yield { kind: blocked ? 'not-dropped' : 'dropped', month: month.name }
    }
    if (cutoffs.bodies !== null) {
      // Rows outside of all months are in the default partition.
      yield* moveBodies(pool, job, { from, to: cutoffs.bodies })
      yield* shortenKept(pool, job, cutoffs.bodies)
    }
  } finally {
    if (await job.take(pool)) await job.release(pool)
  }
}

/** The lease lasts 30 s, and each step acquires it again. */
async function takeTurn(database: pg.Pool | Transaction, job: Job): Promise<void> {
  if (!(await job.take(database))) throw new RemovalWaits('Another process removes old months.')
}

/** A step is one transaction, while nobody reads or moves the rows to remove. */
async function inStep<T>(pool: pg.Pool, job: Job, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const done = await inTransaction(pool, async (tx) => {
    await tx.query(`SET LOCAL statement_timeout = '10s'; SET LOCAL lock_timeout = '1s'`)
    await takeTurn(tx, job)
    const { rows } = await tx.query<{ why: string | null }>(IN_THE_WAY, [
      advisoryLocks.partitions,
      rulesVersion,
    ])
    const why = rows[0]?.why ?? null
    if (why !== null) throw new RemovalWaits(why)
    return work(tx)
  })
  await new Promise((resolve) => setTimeout(resolve, pause))
  return done
}

/** Only whole subjects without newer deliveries are removed. */
async function* removeSubjects(pool: pg.Pool, job: Job, cutoff: string): AsyncGenerator<RemovalStep> {
  for (let after: string | null = firstId; after !== null; ) {
    const { rows }: pg.QueryResult<{ last: string | null; found: { id: string; n: number }[] | null }> =
      await pool.query(OLD_SUBJECTS, [after, cutoff, rowsOfStep])
    const found = rows[0]?.found ?? []
    for (const ids of inParts(found)) {
      const count = await inStep(pool, job, (tx) => deleteSubjects(tx, ids, cutoff))
      if (count > 0) yield { kind: 'subjects', count }
    }
    after = rows[0]?.last ?? null
  }
}

/** A part has as many subjects as have about `deliveriesOfStep` deliveries. A single subject may have more. */
function* inParts(found: readonly { readonly id: string; readonly n: number }[]): Generator<string[]> {
  let ids: string[] = []
  let deliveries = 0
  for (const { id, n } of found) {
    if (ids.length > 0 && (ids.length === subjectsOfStep || deliveries + n > deliveriesOfStep)) {
      yield ids
      ids = []
      deliveries = 0
    }
    ids.push(id)
    deliveries += n
  }
  if (ids.length > 0) yield ids
}

/** The subjects are checked again while no projector writes, since new deliveries may have arrived. */
async function deleteSubjects(tx: Transaction, ids: readonly string[], cutoff: string): Promise<number> {
  await stopWrites(tx)
  const { rows } = await tx.query<{ id: string }>(STILL_OLD, [ids, cutoff])
  const old = rows.map(({ id }) => id)
  if (old.length === 0) return 0
  await countChanges(tx, slotOfOthers, await readCounted(tx, old), [])
  await countStandingChanges(tx, slotOfOthers, await readStandingCounts(tx, old), [])
  for (const table of ['transaction', 'standing', 'identifier', 'transaction_note'])
    await tx.query(`DELETE FROM ${table} WHERE subject_id = ANY($1::text[])`, [old])
  const { rows: events } = await tx.query<{ id: string }>(DELETE_EVENTS, [old])
  await tx.query('DELETE FROM overview_mute WHERE about = ANY($1::text[])', [
    [...old, ...events.map(({ id }) => id)],
  ])
  const { rows: deliveries } = await tx.query<{ id: string }>(DELETE_DELIVERIES, [old])
  const gone = deliveries.map(({ id }) => id)
  await tx.query('DELETE FROM answer_lost WHERE delivery_id = ANY($1::uuid[])', [gone])
  await tx.query('DELETE FROM delivery WHERE id = ANY($1::uuid[])', [gone])
  return old.length
}

/**
 * The kept part of a body moves to its event, and the delivery is deleted. A delivery that was not folded stays
 * unchanged.
 */
async function* moveBodies(
  pool: pg.Pool,
  job: Job,
  { from, to }: Pick<DeliveryMonth, 'from' | 'to'>,
): AsyncGenerator<RemovalStep> {
  for (let after: string | null = from; after !== null; ) {
    const first: string = after
    const { last, count } = await inStep(pool, job, async (tx) => {
      await shareWrites(tx)
      const { rows } = await tx.query<{ id: string }>(PAGE, [first, to, rowsOfStep])
      const ids = rows.map(({ id }) => id)
      await shorten(tx, (await tx.query<Keyed>(EVENTS_OF, [ids])).rows)
      const { rowCount } = await tx.query(DELETE_FOLDED, [ids])
      return { last: ids.length < rowsOfStep ? null : (ids.at(-1) ?? null), count: rowCount ?? 0 }
    })
    if (count > 0) yield { kind: 'bodies', count }
    after = last
  }
}

/** Some events keep whole bodies, because their deliveries were deleted before ages could be set. */
async function* shortenKept(pool: pg.Pool, job: Job, cutoff: string): AsyncGenerator<RemovalStep> {
  const known = await readSettingRow(pool, shortenedKey)
  for (let after: string | null = typeof known === 'string' ? known : firstId; after !== null; ) {
    const first: string = after
    const { last, count } = await inStep(pool, job, async (tx) => {
      await shareWrites(tx)
      const { rows } = await tx.query<Keyed & { whole: boolean }>(KEPT_EVENTS, [first, cutoff, rowsOfStep])
      const whole = rows.filter((row) => row.whole)
      await shorten(tx, whole)
      const next = rows.length < rowsOfStep ? null : (rows.at(-1)?.id ?? null)
      const reached = rows.at(-1)?.id
      if (reached) await keepSettingRow(tx, shortenedKey, reached)
      return { last: next, count: whole.length }
    })
    if (count > 0) yield { kind: 'bodies', count }
    after = last
  }
}

const shortenedKey = 'retention:shortened'

interface Keyed {
  readonly subject_id: string
  readonly id: string
}

/** A body moves in the transaction that deletes its delivery, so it is stored once. */
async function shorten(tx: Transaction, events: readonly Keyed[]): Promise<void> {
  const short: (Keyed & { readonly body: Buffer })[] = []
  for await (const { row, body } of bodiesOf(tx, events)) {
    const parsed = parseEnvelope(body)
    const kept = parsed.kind === 'envelope' ? canonicalJson(shortenEnvelope(parsed.envelope)) : ''
    short.push({ ...row, body: Buffer.from(kept) })
  }
  await tx.query(SHORTEN, [
    short.map(({ subject_id }) => subject_id),
    short.map(({ id }) => id),
    short.map(({ body }) => body),
  ])
}

const isEmpty = async (pool: pg.Pool, { name }: DeliveryMonth) =>
  (await pool.query(`SELECT FROM ${name} LIMIT 1`)).rowCount === 0

/**
 * `dropMonth` drops an empty month, which delays new deliveries by some milliseconds. It gives up when it does not get
 * its locks, or when a delivery arrived. VACUUM runs first, so that the check for rows is instant.
 */
async function dropMonth(ownerUrl: string, { name }: DeliveryMonth): Promise<boolean> {
  const owner = await connect(ownerUrl, 'rampart retention', 600_000, 'keeps-sessions')
  try {
    const { rows } = await owner.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [
      advisoryLocks.partitions,
    ])
    if (!rows[0]?.free) return false
    await owner.query(`VACUUM ${name}`)
    for (let tries = 0; tries < 3; tries++) {
      try {
        await owner.query(DROP(name))
        return true
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : null
        if (code === notEmpty) return false
        if (!isLockTimeout(error) && code !== cancelled) throw error
        await new Promise((resolve) => setTimeout(resolve, 1_000))
      }
    }
    return false
  } finally {
    await closeConnection(owner)
  }
}

const cancelled = '57014'
const notEmpty = 'RM001'

/**
 * All statements are one message, so that the locks are not held during a network round trip. The log is locked first,
 * as everywhere.
 */
const DROP = (month: string) => `
  SET LOCAL lock_timeout = '250ms'; SET LOCAL statement_timeout = '500ms';
  LOCK TABLE ONLY delivery IN ACCESS EXCLUSIVE MODE;
  DO $$ BEGIN
    IF EXISTS (SELECT FROM ${month}) THEN RAISE 'A delivery came' USING ERRCODE = '${notEmpty}'; END IF;
  END $$;
  DROP TABLE ${month};`

/**
 * A rebuild by new rules needs the bodies, and an erasure reads them. Rows of the default partition are copied while
 * their months are made, so a deleted delivery would come back.
 */
const IN_THE_WAY = `
  SELECT CASE
    WHEN EXISTS (SELECT FROM rebuild WHERE finished_at IS NULL) THEN 'A rebuild is under way.'
    WHEN EXISTS (SELECT FROM setting WHERE key = 'rules-version' AND value <> to_jsonb($2::int))
      THEN 'The rows were made by other rules: a rebuild comes first.'
    WHEN EXISTS (SELECT FROM erasure WHERE finished_at IS NULL) THEN 'A person is being erased.'
    WHEN to_regclass('delivery_moving') IS NOT NULL OR to_regclass('delivery_emptied') IS NOT NULL
      OR NOT pg_try_advisory_xact_lock_shared($1) THEN 'Months of the log are being made.'
  END AS why`

/** A queued or dead delivery keeps its subject. */
const removable = (subjects: string, cutoff: string) => `
  old AS MATERIALIZED (
    SELECT id FROM (SELECT DISTINCT subject_id AS id FROM event WHERE ${subjects}) AS found WHERE ${isOld('found.id', cutoff)}
  ), carried AS MATERIALIZED (
    SELECT subject_id AS id, delivery_id FROM event_delivery WHERE subject_id IN (SELECT id FROM old)
  ), removable AS MATERIALIZED (
    SELECT id, count(*) AS n FROM carried
    WHERE id NOT IN (SELECT id FROM carried JOIN delivery_pending USING (delivery_id)) GROUP BY id
  )`

const OLD_SUBJECTS = `
  WITH page AS MATERIALIZED (
    SELECT subject_id, id FROM event WHERE id > $1::uuid AND id < $2::uuid ORDER BY id LIMIT $3
  ), ${removable('(subject_id, id) IN (SELECT subject_id, id FROM page)', '$2')}
  SELECT (SELECT max(id::text) FROM page HAVING count(*) = $3) AS last,
         (SELECT json_agg(json_build_object('id', id, 'n', n)) FROM removable) AS found`

const STILL_OLD = `WITH ${removable('subject_id = ANY($1::text[])', '$2')} SELECT id FROM removable`

const DELETE_EVENTS = 'DELETE FROM event WHERE subject_id = ANY($1::text[]) RETURNING id'

const DELETE_DELIVERIES =
  'DELETE FROM event_delivery WHERE subject_id = ANY($1::text[]) RETURNING delivery_id AS id'

const PAGE = 'SELECT id FROM delivery WHERE id > $1::uuid AND id < $2::uuid ORDER BY id LIMIT $3 FOR UPDATE'

const EVENTS_OF = `
  WITH kept AS MATERIALIZED (SELECT subject_id, id FROM event WHERE id = ANY($1::uuid[]))
  SELECT subject_id, id FROM kept WHERE NOT ${isQueued('kept.id')}`

/** A delivery is deleted only when its event has all that is kept of it. */
const DELETE_FOLDED = `
  WITH folded AS MATERIALIZED (
    SELECT ed.delivery_id AS id FROM event_delivery ed
    JOIN event ON event.subject_id = ed.subject_id AND event.id = ed.event_id
    WHERE ed.delivery_id = ANY($1::uuid[]) AND (event.envelope IS NOT NULL OR event.body_left_at IS NOT NULL)
  )
  DELETE FROM delivery WHERE id = ANY($1::uuid[]) AND NOT ${isQueued('delivery.id')} AND id IN (SELECT id FROM folded)`

const KEPT_EVENTS = `
  WITH kept AS MATERIALIZED (
    SELECT subject_id, id, body_left_at IS NULL AND envelope IS NOT NULL AS whole
    FROM event WHERE id > $1::uuid AND id < $2::uuid ORDER BY id LIMIT $3
  )
  SELECT subject_id, id, whole AND NOT EXISTS (SELECT FROM delivery WHERE delivery.id = kept.id) AS whole
  FROM kept ORDER BY id`

const SHORTEN = `
  UPDATE event SET envelope = given.body, body_left_at = now()
  FROM unnest($1::text[], $2::uuid[], $3::bytea[]) AS given (subject_id, id, body)
  WHERE event.subject_id = given.subject_id AND event.id = given.id AND event.body_left_at IS NULL`
