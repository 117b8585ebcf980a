import 'server-only'
import { closeConnection, connect } from './connect.ts'
import { emptyDefaultPartition } from './empty-default-partition.ts'
import { advisoryLocks } from './locks.ts'
import { defaultHoldsRows, makeMonths } from './partitions.ts'

/**
 * `makeMissingMonths` creates the months that are missing at `now`, and empties the default partition if it has deliveries.
 * @returns true when nothing is left to do
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
