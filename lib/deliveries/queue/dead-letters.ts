import 'server-only'
import type pg from 'pg'

/** A dead letter is a delivery that could not be folded. */
interface DeadLetter {
  readonly deliveryId: string
  /** The time is null when the log does not have the delivery any more. */
  readonly receivedAt: Date | null
  /** The delivery became a dead letter at this time. */
  readonly since: Date
  readonly error: string
  readonly bytes: number
  /** The start has the first 2,000 bytes of the body. */
  readonly start: Buffer | null
}

/** Dead letters are listed from the oldest on, at most `most`. */
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

/** `markDeadLetters` marks deliveries that cannot be folded. They stay visible until a fix. */
export async function markDeadLetters(client: pg.ClientBase, deliveryIds: readonly string[], error: string) {
  await client.query(
    'UPDATE delivery_pending SET dead_lettered_at = clock_timestamp(), error = $2 WHERE delivery_id = ANY($1::uuid[])',
    [deliveryIds, error],
  )
}

/**
 * `requeueDeadLetters` lets every dead letter be folded again. A starting projector calls it, because its code may be newer,
 * and so does a person.
 * @returns the number of deliveries
 */
export async function requeueDeadLetters(database: pg.Pool | pg.ClientBase): Promise<number> {
  const { rowCount } = await database.query(RETRY)
  return rowCount ?? 0
}

const RETRY =
  'UPDATE delivery_pending SET dead_lettered_at = NULL, error = NULL WHERE dead_lettered_at IS NOT NULL'
