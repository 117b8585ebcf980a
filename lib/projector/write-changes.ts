import 'server-only'
import type pg from 'pg'
import { type Lease, leaseTime, renewLease } from './lease.ts'
import { type Batch, statementsOf } from './statements.ts'

/** Another projector holds the lease. */
export class LeaseLost extends Error {}

/** Writes what changed, removes what is no longer pending, and tells it, in one transaction. Throws `LeaseLost`. */
export function writeChanges(pool: pg.Pool, lease: Lease, batch: Batch): Promise<void> {
  return underLease(pool, lease, async (client) => {
    for (const { text, values } of statementsOf(batch)) await client.query(text, values)
  })
}

/** Puts deliveries that cannot be folded aside, where they are seen and wait for a fix. Throws `LeaseLost`. */
export function setAside(
  pool: pg.Pool,
  lease: Lease,
  deliveryIds: readonly string[],
  error: string,
): Promise<void> {
  return underLease(pool, lease, async (client) => {
    await client.query(
      'UPDATE delivery_pending SET set_aside_at = clock_timestamp(), error = $2 WHERE delivery_id = ANY($1::uuid[])',
      [deliveryIds, error],
    )
  })
}

/**
 * A transaction in which the lease is ours from beginning to end. Should this process freeze inside, the database
 * ends it after a second, so that a frozen holder keeps nobody waiting; how long a statement may take is not limited
 * by what the database is set to, since no repetition would make it quicker. Nothing here is lost by a crash of the database
 * that has not been told to the disk yet: what it undoes is pending again.
 */
async function underLease(pool: pg.Pool, lease: Lease, work: (client: pg.PoolClient) => Promise<void>) {
  const client = await pool.connect()
  let spoilt = true
  try {
    await client.query(begin)
    if (!(await renewLease(client, lease))) throw new LeaseLost('Another projector has taken over')
    await work(client)
    await client.query('COMMIT')
    spoilt = false
  } catch (error) {
    spoilt = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.release(spoilt)
  }
}

/** Opens the transaction of a batch. */
export const begin = `
  BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = ${leaseTime - 500}`
