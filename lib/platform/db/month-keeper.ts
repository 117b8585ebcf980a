import 'server-only'
import { closeConnection, connect } from './connect.ts'
import { emptyDefaultPartition } from './empty-default-partition.ts'
import { advisoryLocks } from './locks.ts'
import { defaultHoldsRows, makeMonths } from './partitions.ts'

/**
 * Makes the months that are missing as of `now`, and empties the default partition where it holds deliveries.
 * @returns whether nothing is left to do.
 */
export async function makeMissingMonths(url: string, now: Date, isStopping: () => boolean): Promise<boolean> {
  const client = await connect(url, 'rampart months', 600_000)
  try {
    const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [
      advisoryLocks.partitions,
    ])
    if (!rows[0]?.free) return false
    if (await defaultHoldsRows(client)) return await emptyDefaultPartition(client, now, isStopping)
    await makeMonths(client, now)
    return true
  } finally {
    await closeConnection(client)
  }
}
