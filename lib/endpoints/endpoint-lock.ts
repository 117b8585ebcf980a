import 'server-only'
import pg from 'pg'
import { Refused } from '#lib/auth/refusals.ts'
import { advisoryLocks } from '#lib/db/advisory-locks.ts'
import { env } from '#lib/env.ts'

/**
 * One change of an endpoint at a time, over all processes: two rotations at once could keep the older secret.
 * The lock ends with its transaction, so that it survives no crash and works through a pooler; its connection is its
 * own, since it waits for the service and no delivery may wait for that. Throws `Refused`.
 */
export async function withEndpointLock<T>(id: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: env().databaseUrl,
    connectionTimeoutMillis: 3_000,
    application_name: 'rampart endpoint lock',
  })
  // A lost connection ends the lock, not the process, nor the change under way.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ free: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS free',
      [advisoryLocks.endpoints, id.toLowerCase()],
    )
    if (!rows[0]?.free) throw new Refused(busy)
    return await work()
  } finally {
    await client.end().catch(() => undefined)
  }
}

const busy = {
  title: 'This endpoint is being changed right now.',
  next: 'Nothing was changed by you. Wait a few seconds, reload the page and look again.',
}
