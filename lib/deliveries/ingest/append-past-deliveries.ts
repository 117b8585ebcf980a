import 'server-only'
import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { UUID } from 'uuidv7'
import { pool } from '#lib/platform/db/pool.ts'
import { announceStored, enqueueStored } from '../queue/enqueue.ts'

export interface PastDelivery {
  readonly receivedAt: Date
  readonly receiverId: string
  readonly body: Uint8Array
}

/** One statement appends at most this many rows. */
const batch = 500

/**
 * `appendPastDeliveries` appends past deliveries to the log in the order of their times, for the demo and for imports. The
 * projector folds them like any other. It returns their ids in the order given.
 */
export async function appendPastDeliveries(
  deliveries: readonly PastDelivery[],
  database: pg.Pool = pool(),
): Promise<string[]> {
  const rows = deliveries.map((delivery) => ({ ...delivery, id: uuidv7Of(delivery.receivedAt) }))
  const sorted = rows.toSorted((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())
  for (let from = 0; from < sorted.length; from += batch) {
    const part = sorted.slice(from, from + batch)
    await database.query(APPEND, [
      part.map(({ id }) => id),
      part.map(({ receiverId }) => receiverId),
      part.map(({ receivedAt }) => receivedAt),
      part.map(({ body }) => body),
    ])
  }
  announceStored(database)()
  return rows.map(({ id }) => id)
}

const uuidv7Of = (time: Date) =>
  UUID.fromFieldsV7(time.getTime(), randomInt(2 ** 12), randomInt(2 ** 30), randomInt(2 ** 32)).toString()

const APPEND = `
  WITH logged AS (
    INSERT INTO delivery (id, receiver_id, received_at, body)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bytea[])
    RETURNING id, NULL::smallint AS shard
  )
  ${enqueueStored('logged')}`
