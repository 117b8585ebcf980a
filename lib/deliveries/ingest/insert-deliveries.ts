import 'server-only'
import pg from 'pg'
import { readUnsafeCommit } from '#lib/platform/db/check-durability.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { isOfPooler } from '#lib/platform/db/pool.ts'
import { enqueueStored, shardHint } from '../queue/enqueue.ts'
import { withTimeout } from './limits.ts'

/** A row of the log, before the database assigns its sequence number and time. */
export interface StoredDelivery {
  /** uuidv7, made beforehand, so that a statement whose outcome is unknown can be sent again. */
  readonly id: string
  readonly receiverId: string
  readonly body: Uint8Array
}

/** The commit came with a warning, such as a replica that did not confirm it, or the database no longer waits for its disk. */
export class NotDurable extends Error {}

/**
 * Appends to the log and names what was new in `delivery_pending`, in one statement and one commit. Throws `NotDurable`,
 * a database's error, or an error of which `isOutcomeUnknown`: the connection is dropped, the commit never cancelled.
 * @param limit milliseconds
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
 * Whether a notice says that no replica confirmed the commit: a cancelled wait is 01000, one that a shutdown ended 57P01. Its
 * words and its severity are translated; the file of the server that wrote it is not. Where none is named, any warning counts.
 */
const isOfCommit = ({ code, file }: Notice) =>
  !code?.startsWith('00') && (file === undefined || file === 'syncrep.c')

/** Whether the statement may have been committed although it failed: the connection broke, or nobody answered. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof NotDurable) return false
  // 08 connection, 57P server shut down, 40003 said by a proxy; what the database did not say comes from the network.
  return !(error instanceof pg.DatabaseError) || /^(08|57P|40003)/.test(error.code ?? '') || isOfPooler(error)
}

/**
 * A row that exists already (sent again after an unknown outcome) is locked and otherwise unchanged. The lock
 * is written to the WAL; without a WAL record the commit would not wait for a replica that lacks the row.
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
