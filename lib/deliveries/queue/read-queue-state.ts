import 'server-only'
import type pg from 'pg'

/** The result names those of these deliveries that still wait, and which of them are dead letters. */
export async function findPending(
  pool: pg.Pool,
  deliveryIds: readonly string[],
): Promise<{ readonly id: string; readonly dead: boolean }[]> {
  const { rows } = await pool.query<{ id: string; dead: boolean }>(STILL_PENDING, [deliveryIds])
  return rows
}

/** The count has the deliveries of a replay or rebuild that wait to be folded. */
export async function countPendingOfRun(client: pg.ClientBase | pg.Pool, run: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(COUNT_OF_RUN, [run])
  return rows[0]?.n ?? 0
}

interface QueueState {
  /** New deliveries wait to be folded. */
  readonly waiting: number
  /** The oldest of them has waited for so many seconds; null when none waits. */
  readonly oldestSeconds: number | null
  readonly deadLetters: number
}

export async function readQueueState(pool: pg.Pool): Promise<QueueState> {
  const { rows } = await pool.query<{ waiting: number; oldest_seconds: number | null; dead: number }>(STATE)
  const { waiting, oldest_seconds, dead } = rows[0] ?? { waiting: 0, oldest_seconds: null, dead: 0 }
  return { waiting, oldestSeconds: oldest_seconds, deadLetters: dead }
}

/** The query counts dead letters without reading the waiting deliveries. */
export async function countDeadLetters(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(COUNT_DEAD)
  return rows[0]?.n ?? 0
}

interface Wait {
  /** The database's clock gives both: the time since when, and the seconds until now. */
  readonly since: Date
  readonly seconds: number
}

/**
 * The delivery that has waited longest to be folded: since it was received, or queued again. It is null when none waits;
 * those of a replay or rebuild do not count.
 */
export async function readLongestWait(pool: pg.Pool): Promise<Wait | null> {
  const { rows } = await pool.query<Wait>(LONGEST)
  return rows[0] ?? null
}

/** The SQL condition is true when the delivery waits or is a dead letter. `id` is an SQL expression. */
export const isQueued = (id: string) => `EXISTS (SELECT 1 FROM delivery_pending WHERE delivery_id = ${id})`

const STILL_PENDING = `
  SELECT delivery_id AS id, dead_lettered_at IS NOT NULL AS dead FROM delivery_pending WHERE delivery_id = ANY($1::uuid[])`

const COUNT_OF_RUN = `
  SELECT count(*)::int AS n FROM delivery_pending WHERE run = $1 AND dead_lettered_at IS NULL`

/** The statement is exported for the test of its plan. */
export const COUNT_DEAD = 'SELECT count(*)::int AS n FROM delivery_pending WHERE dead_lettered_at IS NOT NULL'

const LONGEST = `
  SELECT since, GREATEST(0, extract(epoch FROM clock_timestamp() - since))::float8 AS seconds FROM (
    (SELECT received_at AS since FROM delivery_pending JOIN delivery ON id = delivery_id
     WHERE dead_lettered_at IS NULL AND run IS NULL AND requeued_at IS NULL ORDER BY delivery_id LIMIT 1)
    UNION ALL
    (SELECT requeued_at FROM delivery_pending
     WHERE dead_lettered_at IS NULL AND run IS NULL AND requeued_at IS NOT NULL ORDER BY requeued_at LIMIT 1)
  ) AS waiting ORDER BY since LIMIT 1`

const STATE = `
  SELECT count(*) FILTER (WHERE dead_lettered_at IS NULL AND run IS NULL)::int AS waiting,
         count(*) FILTER (WHERE dead_lettered_at IS NOT NULL)::int AS dead,
         (SELECT seconds FROM (${LONGEST}) AS longest) AS oldest_seconds
  FROM delivery_pending`

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

const RETRY = `
  UPDATE delivery_pending SET dead_lettered_at = NULL, error = NULL, requeued_at = now()
  WHERE dead_lettered_at IS NOT NULL`
