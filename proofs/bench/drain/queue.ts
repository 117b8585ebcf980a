import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { insertDeliveries } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import type { BenchDatabase } from '../processes/database.ts'
import { transactionBody } from './bodies.ts'

/** Has so many deliveries wait, by the statement that stores what arrives. */
export async function fillQueue({ url, receiverId }: BenchDatabase, deliveries: number): Promise<void> {
  const pool = openPool(url, 1)
  let bytes = 0
  for (let n = 0; n < deliveries; n += 200) {
    const bodies = Array.from({ length: Math.min(200, deliveries - n) }, (_, i) => transactionBody(n + i))
    for (const body of bodies) bytes += body.length
    const batch = bodies.map((body) => ({ id: uuidv7(), receiverId, body }))
    await insertDeliveries(pool, batch, 60_000)
  }
  await pool.query('VACUUM (ANALYZE)')
  await pool.end()
  console.log(`${deliveries} deliveries wait, ${Math.round(bytes / deliveries)} bytes each`)
}

/** What empties a queue looks at: its last delivery. */
export async function lastWaiting(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT max(delivery_id::text) AS id FROM delivery_pending',
  )
  return rows[0]?.id ?? ''
}

/**
 * Waits until the queue is empty. Usually checks only the last delivery; when that is gone, checks the whole
 * queue.
 */
export async function untilEmpty(client: pg.ClientBase, last: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ waiting: boolean }>(
      `SELECT EXISTS (SELECT FROM delivery_pending WHERE delivery_id = $1)
           OR EXISTS (SELECT FROM delivery_pending) AS waiting`,
      [last],
    )
    if (!rows[0]?.waiting) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
