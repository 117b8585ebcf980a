import 'server-only'
import { advisoryLocks } from '#lib/db/advisory-locks.ts'
import { closeConnection, connect } from '#lib/db/connect.ts'
import { env } from '#lib/env.ts'
import { Refused } from '#lib/request/refusals.ts'

/**
 * One change of an endpoint at a time, over all processes: two rotations at once could keep the older secret.
 * The locks end with their transaction, so that they survive no crash and work through a pooler; their connection is
 * their own, since it waits for the service and no delivery may wait for that. Nobody waits for a lock, so that no order
 * is wanted; `lockAlso` takes another one. Throws `Refused`.
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
