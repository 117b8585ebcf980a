import 'server-only'
import pg from 'pg'
import { readUnsafeCommit } from '#lib/platform/db/check-databases.ts'
import { isOfPooler } from '#lib/platform/db/connect.ts'
import { uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { announceStored, enqueueStored, shardHint } from '../queue/enqueue.ts'
import { withTimeout } from './limits.ts'

/** A row of the log has these columns before the database assigns its sequence number and time. */
export interface StoredDelivery {
  /** The id is a uuidv7 made here, so that a statement with an unknown outcome can be sent again. */
  readonly id: string
  readonly receiverId: string
  readonly body: Uint8Array
}

/**
 * The commit came with a warning, for example that a replica did not confirm it, or the database does not wait for its disk
 * any more.
 */
export class NotDurable extends Error {}

/**
 * `insertDeliveries` appends to the log and queues the new rows in one statement and one commit, within `limit`
 * milliseconds; only then `receive` answers 200. It throws `NotDurable`, an error of the database, or one that fulfils `isOutcomeUnknown`. A connection in
 * doubt is closed, and no commit is cancelled.
 */
export async function insertDeliveries(
  pool: pg.Pool,
  deliveries: readonly StoredDelivery[],
  limit: number,
): Promise<void> {
  if (deliveries.length === 0) return
  const client = await pool.connect()
  let warning: string | undefined
  let broken = true
  const warn = (notice: Notice) => {
    if (isOfCommit(notice)) warning = notice.message ?? 'warning'
  }
  client.on('notice', warn)
  try {
    const { rows } = await withTimeout(
      limit,
      client.query<{ unsafe: string | null }>({ ...STATEMENT, values: columns(deliveries) }),
    )
    warning ??= rows[0]?.unsafe ?? undefined
    broken = warning !== undefined
    if (warning !== undefined) throw new NotDurable(warning)
  } catch (error) {
    // Another connection may have other settings.
    broken = error instanceof NotDurable || isOutcomeUnknown(error)
    throw error
  } finally {
    client.off('notice', warn)
    client.release(broken)
  }
}

interface Notice {
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly file?: string | undefined
}

/**
 * `isOfCommit` is true for a notice that no replica confirmed the commit: a cancelled wait is 01000, a wait ended by a
 * shutdown 57P01. Text and severity are translated, but the server's source file is not. Without a file, any warning counts.
 */
const isOfCommit = ({ code, file }: Notice) =>
  !code?.startsWith('00') && (file === undefined || file === 'syncrep.c')

/** `isOutcomeUnknown` is true when the connection broke or no answer came: the failed statement may have been committed. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof NotDurable) return false
  // Class 08 is the connection, 57P a server shutdown, 40003 comes from a proxy. Other errors than the database's are the
  // network's.
  return !(error instanceof pg.DatabaseError) || /^(08|57P|40003)/.test(error.code ?? '') || isOfPooler(error)
}

/**
 * A row that exists already (sent again after an unknown outcome) is locked and otherwise unchanged. The lock is written to
 * the WAL. Without a WAL record the commit would not wait for a replica that lacks the row.
 */
const STATEMENT = planOnce(`
  WITH logged AS (
    INSERT INTO delivery (id, receiver_id, body)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])
    ON CONFLICT (id) DO UPDATE SET receiver_id = EXCLUDED.receiver_id WHERE false
    RETURNING id
  ), sorted AS (
    SELECT id, shard FROM unnest($1::uuid[], $4::smallint[]) AS given (id, shard) JOIN logged USING (id)
  ), queued AS (${enqueueStored('sorted')})
  ${readUnsafeCommit}`)

const columns = (deliveries: readonly StoredDelivery[]) => [
  deliveries.map(({ id }) => id),
  deliveries.map(({ receiverId }) => receiverId),
  deliveries.map(({ body }) => body),
  deliveries.map(({ body }) => shardHint(body)),
]

interface PastDelivery {
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

const APPEND = `
  WITH logged AS (
    INSERT INTO delivery (id, receiver_id, received_at, body)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bytea[])
    RETURNING id, NULL::smallint AS shard
  )
  ${enqueueStored('logged')}`
