import 'server-only'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { closeConnection, connect } from '#lib/platform/db/connect.ts'
import { env } from '#lib/platform/env.ts'
import { Refused } from '#lib/platform/refusals.ts'

/**
 * Serialises changes of one endpoint over all processes: two rotations at once could store the older secret. The
 * locks are bound to a transaction, so they do not survive a crash and work through a pooler. They use a connection
 * of their own, since it is held while the service is asked. A lock that is taken is refused at once, so locks may be
 * taken in any order; `lockAlso` takes one more. Throws `Refused`.
 */
export async function withEndpointLock<T>(
  ids: readonly string[],
  work: (lockAlso: (id: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  // A lost connection ends the locks, not the process, nor the change under way.
  const client = await connect(env().databaseUrl, 'rampart endpoint lock', 5_000)
  const lock = async (id: string) => {
    const { rows } = await client.query<{ free: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS free',
      [advisoryLocks.endpoints, id.toLowerCase()],
    )
    if (!rows[0]?.free) throw new Refused(busy)
  }
  try {
    await client.query('BEGIN')
    for (const id of ids) await lock(id)
    return await work(lock)
  } finally {
    await closeConnection(client)
  }
}

const busy = {
  title: 'This endpoint is being changed right now.',
  next: 'Nothing was changed by you. Wait a few seconds, reload the page and look again.',
}
