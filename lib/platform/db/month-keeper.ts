import 'server-only'
import { logOf } from '../log.ts'
import { closeConnection, connect } from './connect.ts'
import { emptyDefaultPartition } from './empty-default-partition.ts'
import { advisoryLocks } from './locks.ts'
import { defaultHoldsRows, makeMonths } from './partitions.ts'

const log = logOf('database')

/** Creates the month partitions of the delivery log six months ahead, in the background. */
export interface MonthKeeper {
  /** Starts a check, unless one is running or today's check succeeded. Does not block the caller. */
  check(): void
  /** Ends after the step under way. */
  stop(): Promise<void>
}

/** Milliseconds until the next check: after success, and after a failure. */
const day = 86_400_000
const retryAfterMs = 600_000

/** `url` is that of the tables' owner. What could not be done is tried again after ten minutes. */
export function startMonthKeeper(url: string): MonthKeeper {
  let next = 0
  let stopping = false
  let underWay: Promise<void> | undefined

  async function run() {
    next = Date.now() + retryAfterMs
    try {
      if (await makeMissingMonths(url, new Date(), () => stopping)) next = Date.now() + day
    } catch (error) {
      log.warn({ err: error }, 'Months of the delivery log are still to be made')
    }
    underWay = undefined
  }

  return {
    check() {
      if (!stopping && Date.now() >= next) underWay ??= run()
    },
    async stop() {
      stopping = true
      await underWay
    },
  }
}

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
