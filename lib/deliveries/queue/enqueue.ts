import 'server-only'
import type { QueryConfig } from 'pg'

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
