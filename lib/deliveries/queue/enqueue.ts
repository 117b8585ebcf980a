import 'server-only'
import type pg from 'pg'
import type { QueryConfig } from 'pg'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { uuidPattern } from '#lib/platform/rules/ids.ts'
import { shardHash } from '../rules/shard.ts'
import { wakeProjectors } from './announce-stored.ts'

/**
 * Ends a statement that stores deliveries: puts them into the queue. `source` names a relation with the columns `id`
 * and `shard`.
 */
export const enqueueStored = (source: string) => `
  INSERT INTO delivery_pending (delivery_id, shard) SELECT id, shard FROM ${source}`

/**
 * SQL that requeues stored deliveries after something new was learned about them. `source` names a relation
 * with the column `id`. Rows already queued are locked, so that a running fold either waits for this
 * transaction or has ended. Rows are locked in id order, as everywhere.
 */
export const requeueForFold = (source: string) => `
  INSERT INTO delivery_pending (delivery_id) SELECT id FROM ${source} ORDER BY id
  ON CONFLICT (delivery_id) DO UPDATE SET delivery_id = EXCLUDED.delivery_id`

/**
 * Requeues deliveries so that their subjects are read from the log and rewritten, after new deliveries. Dead
 * letters among them are tried again; one that waits already stays what it is: a new one is folded as such.
 * @param run the replay or rebuild
 */
export const requeueForRun = (deliveryIds: readonly string[], run: string): QueryConfig => ({
  text: REQUEUE,
  values: [deliveryIds, run],
})

const REQUEUE = `
  INSERT INTO delivery_pending (delivery_id, run)
  SELECT id, $2::uuid FROM unnest($1::uuid[]) AS these (id) ORDER BY id
  ON CONFLICT (delivery_id) DO UPDATE SET
    run = COALESCE(delivery_pending.run, EXCLUDED.run), dead_lettered_at = NULL, error = NULL
  WHERE delivery_pending.dead_lettered_at IS NOT NULL`

/**
 * In the transaction that folded deliveries as surely answered: requeues those whose answer was reported lost
 * meanwhile.
 */
export const requeueLostAnswers = (deliveryIds: readonly string[]): QueryConfig => ({
  name: 'put-back-lost-answers',
  text: REQUEUE_LOST,
  values: [deliveryIds],
})

const REQUEUE_LOST = `
  INSERT INTO delivery_pending (delivery_id)
  SELECT delivery_id FROM answer_lost WHERE delivery_id = ANY($1::uuid[])
  ON CONFLICT DO NOTHING`

/**
 * Folds what was received since `since` (ms since 1970) once more, with the evidence that is known now: of these receivers, or
 * of all (null). After the commit that made the evidence known, since a fold under way may not have seen it.
 */
export async function foldAgainSince(
  pool: pg.Pool,
  since: number,
  receiverIds: readonly string[] | null,
): Promise<void> {
  const values = [firstUuidv7(since - clockToleranceMs), new Date(since), receiverIds]
  const search = { text: FOLD_AGAIN, values, query_timeout: searchTimeoutMs }
  const { rowCount } = await pool.query(search)
  if (rowCount) await wakeProjectors(pool)
}

/** Ids are made by the clock of the process that stored a delivery, its time by the database's: in ms, how far they may differ. */
const clockToleranceMs = 60_000

/** Milliseconds: a busy minute holds many deliveries. */
const searchTimeoutMs = 60_000

const FOLD_AGAIN = `
  WITH received AS (
    SELECT id FROM delivery
    WHERE id >= $1 AND received_at >= $2 AND ($3::uuid[] IS NULL OR receiver_id = ANY($3))
  )
  ${requeueForFold('received')}`

/**
 * Guesses the shard hash of a body without parsing it, from a `transactionUuid` that occurs once and plainly. Null
 * when only parsing can show it. After a wrong guess the projector that reads the delivery moves it to its shard.
 */
export function shardHint(body: Uint8Array): number | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const at = bytes.indexOf(key)
  if (at < 0) return null
  const uuid = value.exec(bytes.toString('latin1', at + key.length, at + key.length + longest))?.[1]
  return uuid === undefined ? null : shardHash(`transaction:${uuid.toLowerCase()}`)
}

const key = Buffer.from('"transactionUuid"')

/** Characters from the key to the end of its value. */
const longest = 64

const value = new RegExp(String.raw`^\s*:\s*"(${uuidPattern})"`, 'i')
