import 'server-only'
import type pg from 'pg'

/**
 * For statements that all look rows up by key. Without statistics, as in the first minutes of a large import, the planner would
 * read and sort whole tables.
 * @param scope until the transaction ends, or for as long as a connection that nobody shares lives
 */
export async function planByIndex(
  client: pg.ClientBase,
  scope: 'LOCAL' | 'SESSION' = 'SESSION',
): Promise<void> {
  await client.query(methods.map((method) => `SET ${scope} enable_${method} = off`).join(';'))
}

const methods = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
