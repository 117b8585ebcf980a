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

export interface QueueState {
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

/** The oldest new delivery that waits to be folded was received at this time; null when none waits. */
export async function readOldestWaiting(pool: pg.Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ received_at: Date }>(OLDEST)
  return rows[0]?.received_at ?? null
}

/** The SQL condition is true when the delivery waits or is a dead letter. `id` is an SQL expression. */
export const isQueued = (id: string) => `EXISTS (SELECT FROM delivery_pending WHERE delivery_id = ${id})`

const STILL_PENDING = `
  SELECT delivery_id AS id, dead_lettered_at IS NOT NULL AS dead FROM delivery_pending WHERE delivery_id = ANY($1::uuid[])`

const COUNT_OF_RUN = `
  SELECT count(*)::int AS n FROM delivery_pending WHERE run = $1 AND dead_lettered_at IS NULL`

/** The statement is exported for the test of its plan. */
export const COUNT_DEAD = 'SELECT count(*)::int AS n FROM delivery_pending WHERE dead_lettered_at IS NOT NULL'

const OLDEST = `
  SELECT received_at FROM delivery_pending JOIN delivery ON id = delivery_id
  WHERE dead_lettered_at IS NULL AND run IS NULL ORDER BY delivery_id LIMIT 1`

const STATE = `
  WITH oldest AS (${OLDEST})
  SELECT count(*) FILTER (WHERE dead_lettered_at IS NULL AND run IS NULL)::int AS waiting,
         count(*) FILTER (WHERE dead_lettered_at IS NOT NULL)::int AS dead,
         (SELECT GREATEST(0, extract(epoch FROM clock_timestamp() - received_at))::float8 FROM oldest) AS oldest_seconds
  FROM delivery_pending`
