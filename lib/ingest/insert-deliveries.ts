import 'server-only'
import pg from 'pg'
import { within } from './within.ts'

/** A row of the log before the database gives it its order and time. */
export interface StoredDelivery {
  /** uuidv7, made beforehand, so that a statement whose outcome is unknown can be sent again. */
  readonly id: string
  readonly receiverId: string
  readonly body: Uint8Array
}

/** The commit came with a warning, such as a replica that did not confirm it. */
export class NotDurable extends Error {}

/**
 * Appends to the log and names what was new in `delivery_pending`, in one statement and one commit. Throws `NotDurable`,
 * a database's error, or an error of which `outcomeIsUnknown`: the connection is dropped, the commit never cancelled.
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
  let spoilt = true
  const warn = (notice: { severity?: string | undefined; message: string | undefined }) => {
    if (notice.severity === 'WARNING') warning = notice.message ?? 'warning'
  }
  client.on('notice', warn)
  try {
    await within(limit, client.query(STATEMENT, columns(deliveries)))
    spoilt = warning !== undefined
    if (warning !== undefined) throw new NotDurable(warning)
  } catch (error) {
    spoilt = outcomeIsUnknown(error)
    throw error
  } finally {
    client.off('notice', warn)
    client.release(spoilt)
  }
}

/** Whether the statement may have been committed although it failed: the connection broke, or nobody answered. */
export function outcomeIsUnknown(error: unknown): boolean {
  if (error instanceof NotDurable) return false
  // 08 connection, 57P server shut down; what the database did not say comes from the network.
  return !(error instanceof pg.DatabaseError) || /^(08|57P)/.test(error.code ?? '')
}

const STATEMENT = `
  WITH logged AS (
    INSERT INTO delivery (id, receiver_id, body)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])
    ON CONFLICT (id) DO NOTHING
    RETURNING id
  )
  INSERT INTO delivery_pending (delivery_id) SELECT id FROM logged`

const columns = (deliveries: readonly StoredDelivery[]) => [
  deliveries.map(({ id }) => id),
  deliveries.map(({ receiverId }) => receiverId),
  deliveries.map(({ body }) => body),
]
