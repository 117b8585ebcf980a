import 'server-only'
import type pg from 'pg'
import type { QueryConfig } from 'pg'

/** A pending delivery waits to be folded. */
export interface PendingDelivery {
  readonly id: string
  readonly order: bigint
  /** The time is in milliseconds since 1970. */
  readonly receivedAt: number
  readonly receiver: string
  readonly answer: 'sure' | 'unsure'
  /**
   * The body is null when the log does not have it any more. The delivery was folded before, and only its answer is judged
   * again.
   */
  readonly body: Buffer | null
  /**
   * The delivery was folded into these subjects before, more than one only after a rule change or a damaged row. The list is
   * read only for requeued deliveries and those without a body.
   */
  readonly subjectIds: readonly string[]
  /** The replay or rebuild requeued the delivery; null for a new one. */
  readonly run: string | null
  /** New evidence about a delivery that waits makes another version. */
  readonly version: number
}

/** `TakeOptions` select a part of the queue. */
interface TakeOptions {
  /** At most this many deliveries are taken. */
  readonly max: number
  /** The queue is divided into so many shards, and these are taken from; null means all of them. */
  readonly shards: number
  readonly held: readonly number[] | null
  /** The scan begins at this id. Everything before it is a dead letter or was read a moment ago. */
  readonly from: string
  /** These deliveries are being written just now. */
  readonly except: readonly string[]
}

export const lowestId = '00000000-0000-0000-0000-000000000000'

/** `takeNew` takes the oldest deliveries that wait since they were received, in order of arrival. */
export const takeNew = (pool: pg.Pool, reach: TakeOptions): Promise<PendingDelivery[]> =>
  take(pool, 'take-new', TAKE_NEW, reach)

/** `takeRequeued` takes the oldest deliveries that were queued again, in order of arrival. */
export const takeRequeued = (pool: pg.Pool, reach: TakeOptions): Promise<PendingDelivery[]> =>
  take(pool, 'take-again', TAKE_REQUEUED, reach)

async function take(
  pool: pg.Pool,
  name: string,
  text: string,
  reach: TakeOptions,
): Promise<PendingDelivery[]> {
  const { rows } = await pool.query<Row>({
    name,
    text,
    values: [reach.max, reach.from, reach.held, reach.shards, reach.except],
  })
  return rows.map((row) => ({
    id: row.id,
    order: row.seq ?? 0n,
    receivedAt: row.received_at?.getTime() ?? 0,
    receiver: row.receiver_id ?? '',
    answer: row.lost ? 'unsure' : 'sure',
    body: row.body,
    subjectIds: row.subject_ids ?? [],
    run: row.run,
    version: row.version,
  }))
}

interface Row {
  readonly id: string
  readonly seq: bigint | null
  readonly received_at: Date | null
  readonly receiver_id: string | null
  readonly body: Buffer | null
  readonly lost: boolean
  readonly subject_ids: string[] | null
  readonly run: string | null
  readonly version: number
}

/** The bodies of one batch have at most this many bytes, small ones and large ones apart. A single body may have more. */
export const maxBatchBytes = 8 * 1024 * 1024

/** A body of up to this many bytes is taken even when larger ones are before it. */
export const smallBody = 64 * 1024

/**
 * The condition leaves out dead letters and requeued deliveries. A range condition makes the planner, without statistics,
 * expect a third of all rows instead of hardly any: otherwise it would sort the whole queue.
 */
const isWaiting = `COALESCE(dead_lettered_at, '-infinity') <= '-infinity'`
const isNew = `COALESCE(run, '${lowestId}') <= '${lowestId}' AND COALESCE(requeued_at, '-infinity') <= '-infinity'`

/** A delivery without a shard belongs to shard 0, whose projector reads it and moves it. */
const isHeld = `($3::int[] IS NULL OR COALESCE(shard, 0) % $4 = ANY($3))`

/** The id is ordered by time, so the queue's own index finds its head, however long it is. */
const statement = (kind: string, subjectIds: string) => `
  WITH head AS MATERIALIZED (
    SELECT delivery_id AS id, run, version FROM delivery_pending
    WHERE delivery_id >= $2 AND ${kind} AND ${isWaiting} AND ${isHeld} AND delivery_id <> ALL($5::uuid[])
    ORDER BY delivery_id LIMIT $1
  ), found AS (
    SELECT head.id, run, version, d.seq, d.received_at, d.receiver_id, d.body,
           sum(octet_length(d.body)) OVER (PARTITION BY octet_length(d.body) > ${smallBody} ORDER BY head.id) AS bytes,
           row_number() OVER (ORDER BY head.id) AS n
    FROM head LEFT JOIN delivery d ON d.id = head.id
  ), taken AS MATERIALIZED (
    SELECT found.*, lost.delivery_id IS NOT NULL AS lost
    FROM found LEFT JOIN answer_lost lost ON lost.delivery_id = found.id
    WHERE n = 1 OR COALESCE(bytes, 0) <= ${maxBatchBytes}
  ), named AS MATERIALIZED (
    SELECT delivery_id, array_agg(subject_id) AS subject_ids FROM event_delivery
    WHERE delivery_id = ANY(ARRAY(SELECT id FROM taken WHERE ${subjectIds})) GROUP BY delivery_id
  )
  SELECT id, seq, received_at, receiver_id, body, run, version, lost, subject_ids
  FROM taken LEFT JOIN named ON named.delivery_id = taken.id
  ORDER BY seq`

/** The statement is exported for the test of its plan. */
export const TAKE_NEW = statement(isNew, 'taken.seq IS NULL')

const TAKE_REQUEUED = statement('(run IS NOT NULL OR requeued_at IS NOT NULL)', 'true')

/**
 * `moveToShard` gives deliveries the shard of their subject after their bodies were read, so that the right projector takes
 * them.
 */
export async function moveToShard(
  pool: pg.Pool,
  deliveries: readonly { readonly id: string; readonly shard: number }[],
): Promise<void> {
  await pool.query({
    name: 'move-to-shard',
    text: MOVE,
    values: [deliveries.map(({ id }) => id), deliveries.map(({ shard }) => shard)],
  })
}

const MOVE = `
  UPDATE delivery_pending SET shard = moved.shard FROM unnest($1::uuid[], $2::smallint[]) AS moved (id, shard)
  WHERE delivery_id = moved.id`

/** A folded delivery is removed only as it was taken. */
export type FoldedDelivery = Pick<PendingDelivery, 'id' | 'run' | 'version'>

/**
 * `removeFolded` removes folded deliveries from the queue, in the transaction that writes their changes. A delivery that was
 * requeued meanwhile stays.
 */
export function* removeFolded(folded: readonly FoldedDelivery[]): Generator<QueryConfig> {
  const alike = Map.groupBy(folded, ({ run, version }) => `${run} ${version}`)
  // One statement locks its rows in id order. Several would not, so all rows are locked first.
  if (alike.size > 1) yield { name: 'lock-folded', text: LOCK, values: [folded.map(({ id }) => id)] }
  for (const some of alike.values())
    yield { name: 'finish', text: FINISH, values: [some.map(({ id }) => id), some[0]?.run, some[0]?.version] }
}

const LOCK =
  'SELECT FROM delivery_pending WHERE delivery_id = ANY($1::uuid[]) ORDER BY delivery_id FOR UPDATE'

const FINISH = `
  DELETE FROM delivery_pending WHERE delivery_id = ANY($1::uuid[]) AND run IS NOT DISTINCT FROM $2 AND version = $3`
