import 'server-only'
import pg from 'pg'
import { markDeadLetters } from '#lib/deliveries/queue/mark-dead-letters.ts'
import { type Lease, renewLeases } from '#lib/platform/db/lease.ts'
import { compareRows } from './compare-rows.ts'
import { shardLeaseMs } from './shard-leases.ts'
import { type BatchWrite, statementsOf } from './statements.ts'

/** Another projector holds a lease that was ours. */
export class LeaseLost extends Error {}

/** A statement of a write took too long and was cancelled. */
export class TimeLimitReached extends Error {}

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
    await writeRows(client, writing)
    await also?.(client)
  })
}

/** The same in a transaction of the caller, in which no projector writes these subjects. */
export async function writeRows(client: pg.ClientBase, writing: BatchWrite): Promise<void> {
  const differences = await compareRows(
    client,
    writing.changes.filter(({ complete }) => complete),
  )
  for (const statement of statementsOf(writing, differences)) await client.query(statement)
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
 * ends the transaction after a second, so that nobody waits for it. A statement that takes too long is
 * cancelled by the database before the pool cuts its connection: a cut connection would leave it running, with the
 * leases locked. Commits do not wait for the disk: a crash that undoes one makes its deliveries pending again.
 */
async function underLeases(
  pool: pg.Pool,
  leases: readonly Lease[],
  work: (client: pg.PoolClient) => Promise<void>,
) {
  const client = await pool.connect()
  const limit = statementLimitOf(pool)
  const began = performance.now()
  let broken = true
  try {
    await client.query(beginBatch(limit))
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
    throw isCancelled(error) && performance.now() - began >= limit ? timeLimitReached(limit, error) : error
  } finally {
    client.release(broken)
  }
}

/** Milliseconds for a statement: four fifths of what the pool allows. */
const statementLimitOf = ({ options }: pg.Pool) => Math.round((options.query_timeout ?? 15_000) * 0.8)

const isCancelled = (error: unknown) => error instanceof pg.DatabaseError && error.code === '57014'

const timeLimitReached = (limit: number, cause: unknown) =>
  new TimeLimitReached(`A statement was not done within ${limit / 1_000} s`, { cause })

/**
 * Opens the transaction of a batch. A wait for a lock ends earlier than a statement: whoever holds it is in the way, and
 * the batch is not too slow.
 * @param limit milliseconds for a statement
 */
export const beginBatch = (limit: number) => `
  BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = ${limit};
  SET LOCAL lock_timeout = ${Math.round(limit / 2)};
  SET LOCAL idle_in_transaction_session_timeout = ${shardLeaseMs - 500}`
