import 'server-only'
import type { QueryConfig } from 'pg'

/**
 * Ends a statement that stores deliveries: puts them into the queue. `source` names a relation with the columns `id`
 * and `shard`.
 */
export const enqueueStored = (source: string) => `
  INSERT INTO delivery_pending (delivery_id, shard) SELECT id, shard FROM ${source}`

/**
 * Ends a statement that learned something about stored deliveries: has them folded once more, like new ones. `source`
 * names a relation with the column `id`. What waits already is locked, so that a fold under way either waits for this
 * transaction and sees what it learned, or has ended. In the order of their ids, as everybody locks the queue's rows.
 */
export const requeueForFold = (source: string) => `
  INSERT INTO delivery_pending (delivery_id) SELECT id FROM ${source} ORDER BY id
  ON CONFLICT (delivery_id) DO UPDATE SET delivery_id = EXCLUDED.delivery_id`

/**
 * Has the subjects of these deliveries read from the log and written whole, behind what is new. Dead letters among them
 * are tried again.
 * @param run the replay or rebuild that wants it
 */
export const requeueForRun = (deliveryIds: readonly string[], run: string): QueryConfig => ({
  text: REQUEUE,
  values: [deliveryIds, run],
})

const REQUEUE = `
  INSERT INTO delivery_pending (delivery_id, run)
  SELECT id, $2::uuid FROM unnest($1::uuid[]) AS these (id) ORDER BY id
  ON CONFLICT (delivery_id) DO UPDATE SET
    run = coalesce(delivery_pending.run, EXCLUDED.run), set_aside_at = NULL, error = NULL`

/**
 * For a transaction that folded deliveries whose answers it took for sure: puts those back whose answer turned out lost
 * between the reading and this transaction's end.
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
