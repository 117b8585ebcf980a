import 'server-only'
import type pg from 'pg'

/** Makes deliveries that cannot be folded dead letters, which are seen and wait for a fix. */
export async function markDeadLetters(client: pg.ClientBase, deliveryIds: readonly string[], error: string) {
  await client.query(
    'UPDATE delivery_pending SET dead_lettered_at = clock_timestamp(), error = $2 WHERE delivery_id = ANY($1::uuid[])',
    [deliveryIds, error],
  )
}
