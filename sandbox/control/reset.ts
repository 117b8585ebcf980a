import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type Pool } from 'pg'
import { z } from 'zod'
import { type QueryClient, transaction } from '../database/pool.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { seedAtReset } from '../state/ids.ts'

/**
 * A reset empties everything but the schema, and sets the clock to real time. Jobs in progress find nothing left to do. Ids
 * restart with their seed or with the given one; 0 removes the seed.
 */
export async function reset(sandbox: SandboxWithLoad, seed?: number): Promise<void> {
  await sandbox.load.clear()
  while (!(await emptyTables(sandbox.pool))) await sleep(20)
  sandbox.ids.restart(await seedAtReset(sandbox.pool, seed))
  sandbox.faults.clear()
  sandbox.refusals.clear()
  await sandbox.time.showRealTime()
}

/**
 * The function answers whether it succeeded. It needs all tables and gives up early when one is locked, because the holder
 * may be waiting for another table.
 */
async function emptyTables(pool: Pool): Promise<boolean> {
  try {
    await transaction(pool, async (database) => {
      await database.query(`SET LOCAL lock_timeout = '100ms'`)
      await database.query(
        `TRUNCATE account, session, one_time_password, used_nonce, mail, webhook_endpoint, play, event, delivery, attempt, receiver_secret, received`,
      )
      await database.query('UPDATE receiver SET status = 200')
      await database.query(`SELECT complete_jobs(array_agg(id)) FROM jobs HAVING count(*) > 0`)
    })
    return true
  } catch (error) {
    if (error instanceof DatabaseError && error.code === lockNotAvailable) return false
    throw error
  }
}

/** PostgreSQL reports this code when lock_timeout is over. */
const lockNotAvailable = '55P03'

/** A reset would delete these rows. */
export async function countRows(database: QueryClient) {
  const { rows } = await database.query(
    `SELECT (SELECT count(*)::int FROM account) AS users, (SELECT count(*)::int FROM session) AS sessions,
       (SELECT count(*)::int FROM webhook_endpoint) AS endpoints, (SELECT count(*)::int FROM mail) AS mails,
       (SELECT count(*)::int FROM play) AS plays, (SELECT count(*)::int FROM event) AS events,
       (SELECT count(*)::int FROM delivery) AS deliveries`,
  )
  return CountsSchema.parse(rows[0])
}

const CountsSchema = z.object({
  users: z.number(),
  sessions: z.number(),
  endpoints: z.number(),
  mails: z.number(),
  plays: z.number(),
  events: z.number(),
  deliveries: z.number(),
})
