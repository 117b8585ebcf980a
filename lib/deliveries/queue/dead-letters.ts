import 'server-only'
import type pg from 'pg'

/** A delivery that could not be folded. */
interface DeadLetter {
  readonly deliveryId: string
  /** Null when the log no longer holds it. */
  readonly receivedAt: Date | null
  /** When it was given up. */
  readonly since: Date
  readonly error: string
  readonly bytes: number
  /** The first bytes of what arrived. */
  readonly start: Buffer | null
}

/** Deliveries that could not be folded, the oldest first. */
export async function listDeadLetters(pool: pg.Pool, most: number): Promise<DeadLetter[]> {
  const { rows } = await pool.query<{
    delivery_id: string
    received_at: Date | null
    dead_lettered_at: Date
    error: string | null
    bytes: number | null
    start: Buffer | null
  }>(LIST, [most])
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    receivedAt: row.received_at,
    since: row.dead_lettered_at,
    error: row.error ?? '',
    bytes: row.bytes ?? 0,
    start: row.start,
  }))
}

const LIST = `
  SELECT delivery_id, received_at, dead_lettered_at, error, octet_length(body) AS bytes,
         substring(body FROM 1 FOR 2000) AS start
  FROM delivery_pending LEFT JOIN delivery ON id = delivery_id
  WHERE dead_lettered_at IS NOT NULL ORDER BY delivery_id LIMIT $1`

/** Makes deliveries that cannot be folded dead letters, which are seen and wait for a fix. */
export async function markDeadLetters(client: pg.ClientBase, deliveryIds: readonly string[], error: string) {
  await client.query(
    'UPDATE delivery_pending SET dead_lettered_at = clock_timestamp(), error = $2 WHERE delivery_id = ANY($1::uuid[])',
    [deliveryIds, error],
  )
}

/**
 * Has whatever could not be folded tried once more: by a projector that begins, whose code may be newer, or by a person.
 * @returns how many deliveries.
 */
export async function requeueDeadLetters(database: pg.Pool | pg.ClientBase): Promise<number> {
  const { rowCount } = await database.query(RETRY)
  return rowCount ?? 0
}

const RETRY =
  'UPDATE delivery_pending SET dead_lettered_at = NULL, error = NULL WHERE dead_lettered_at IS NOT NULL'
