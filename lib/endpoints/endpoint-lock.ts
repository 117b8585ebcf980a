import 'server-only'
import { Refused } from '#lib/auth/refusals.ts'
import { pool } from '#lib/db/pool.ts'

/**
 * One change of an endpoint at a time, over all processes: two rotations at once could keep the older secret.
 * The lock ends with its transaction, so that it survives no crash and works through a pooler. Throws `Refused`.
 */
export async function withEndpointLock<T>(id: string, work: () => Promise<T>): Promise<T> {
  const client = await pool().connect()
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ free: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7247002)) AS free',
      [id.toLowerCase()],
    )
    if (!rows[0]?.free) throw new Refused(busy)
    return await work()
  } finally {
    await client.query('ROLLBACK').catch((error: Error) => {
      broken = error
    })
    client.release(broken)
  }
}

const busy = {
  title: 'This endpoint is being changed right now.',
  next: 'Nothing was changed by you. Wait a few seconds, reload the page and look again.',
}
