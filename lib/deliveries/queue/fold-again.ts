import 'server-only'
import type pg from 'pg'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { wakeProjectors } from './announce-stored.ts'
import { requeueForFold } from './enqueue.ts'

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
