import 'server-only'
import type pg from 'pg'

/** A delivery that waits to be folded. */
export interface PendingDelivery {
  readonly id: string
  readonly order: bigint
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly receiver: string
  readonly answer: 'sure' | 'unsure'
  /** Null when the log no longer holds it: it was folded before, and only what is known of its answer has changed. */
  readonly body: Buffer | null
  /** Where it was folded before; more than one only when a rule changed since, or a row was damaged. */
  readonly subjectIds: readonly string[]
  /** The run of a rebuild that wants its subject made anew. */
  readonly rebuild: string | null
}

/** The oldest deliveries that wait, in order of arrival; those set aside do not. */
export async function takePending(pool: pg.Pool, most: number): Promise<PendingDelivery[]> {
  const { rows } = await pool.query<{
    id: string
    seq: bigint | null
    received_at: Date | null
    receiver_id: string | null
    body: Buffer | null
    lost: boolean
    subject_ids: string[] | null
    rebuild: string | null
  }>(TAKE, [most])
  return rows.map((row) => ({
    id: row.id,
    order: row.seq ?? 0n,
    receivedAt: row.received_at?.getTime() ?? 0,
    receiver: row.receiver_id ?? '',
    answer: row.lost ? 'unsure' : 'sure',
    body: row.body,
    subjectIds: row.subject_ids ?? [],
    rebuild: row.rebuild,
  }))
}

/** Bytes of bodies that one batch may hold; one body alone may have more. */
const mostBytes = 16 * 1024 * 1024

/**
 * Not set aside. Written so that the planner, which has no statistics of a table that is mostly empty, takes it for a
 * third of all rows rather than for next to none: it would sort the whole queue to find them.
 */
const waits = `coalesce(set_aside_at, '-infinity') <= '-infinity'`

/** By id, which is time: the queue's own index finds its head, however long it is. */
export const TAKE = `
  WITH head AS MATERIALIZED (
    SELECT delivery_id AS id, rebuild FROM delivery_pending WHERE ${waits} ORDER BY delivery_id LIMIT $1
  ), measured AS (
    SELECT head.id, rebuild, sum(octet_length(d.body)) OVER (ORDER BY head.id) AS bytes, row_number() OVER (ORDER BY head.id) AS n
    FROM head LEFT JOIN delivery d ON d.id = head.id
  ), taken AS (
    SELECT id, rebuild FROM measured WHERE n = 1 OR coalesce(bytes, 0) <= ${mostBytes}
  )
  SELECT taken.id, d.seq, d.received_at, d.receiver_id, d.body, lost.delivery_id IS NOT NULL AS lost,
         known.subject_ids, taken.rebuild
  FROM taken
  LEFT JOIN delivery d ON d.id = taken.id
  LEFT JOIN answer_lost lost ON lost.delivery_id = taken.id
  LEFT JOIN LATERAL (
    SELECT array_agg(subject_id) AS subject_ids FROM event_delivery WHERE delivery_id = taken.id
  ) known ON true
  ORDER BY d.seq`
