import 'server-only'
import type pg from 'pg'
import { type Lease, renewLeases } from '#lib/db/lease.ts'
import { markDeadLetters } from '#lib/queue/mark-dead-letters.ts'
import { compareRows } from './compare-rows.ts'
import { shardLeaseMs } from './shard-leases.ts'
import { type BatchWrite, statementsOf } from './statements.ts'

/** Another projector holds a lease that was ours. */
export class LeaseLost extends Error {}

/**
 * Writes what changed, removes what is no longer pending, and notifies, in one transaction. Throws `LeaseLost`.
 * @param also what else belongs into that transaction
 */
export function writeChanges(
  pool: pg.Pool,
  leases: readonly Lease[],
  writing: BatchWrite,
  also?: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  return underLeases(pool, leases, async (client) => {
    const differences = await compareRows(
      client,
      writing.changes.filter(({ complete }) => complete),
    )
    for (const statement of statementsOf(writing, differences)) await client.query(statement)
    await also?.(client)
  })
}

/** Makes deliveries that cannot be folded dead letters. Throws `LeaseLost`. */
export function writeDeadLetters(
  pool: pg.Pool,
  leases: readonly Lease[],
  deliveryIds: readonly string[],
  error: string,
): Promise<void> {
  return underLeases(pool, leases, (client) => markDeadLetters(client, deliveryIds, error))
}

/**
 * Runs `work` in a transaction that holds the leases from start to end. If this process freezes, the database
 * ends the transaction after a second, so that nobody waits for it. The statement timeout of the database is
 * disabled, since a retry would take as long. Commits do not wait for the disk: a crash that undoes one makes
 * its deliveries pending again.
 */
async function underLeases(
  pool: pg.Pool,
  leases: readonly Lease[],
  work: (client: pg.PoolClient) => Promise<void>,
) {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query(beginBatch)
    if (!(await renewLeases(client, leases, shardLeaseMs)))
      throw new LeaseLost('Another projector has taken over')
    await work(client)
    await client.query('COMMIT')
    broken = false
  } catch (error) {
    broken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.release(broken)
  }
}

/** Opens the transaction of a batch. */
export const beginBatch = `
  BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = ${shardLeaseMs - 500}`
