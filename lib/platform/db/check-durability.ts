import 'server-only'
import type pg from 'pg'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { type Rounds, startRounds } from './concurrency.ts'

/** The log has at most one line in ten minutes while the problem lasts. */
const limited = limitedLog(logOf('database'), 600_000)

/** The database would answer "committed" before the commit is on disk. */
export class UnsafeDatabaseError extends OperatorError {}

/**
 * `checkDurability` refuses a database that can lose commits. It throws `UnsafeDatabaseError` with one line.
 * @param isAssured true when the platform keeps commits by other means than the server's settings
 */
export async function checkDurability(pool: pg.Pool, isAssured = false): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; full_page_writes: string; unsafe: string | null }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes, unsafe
     FROM (${readUnsafeCommit}) AS of_commits`,
  )
  const [settings] = rows
  // ASSUMED: the file system can tear a page at a power failure, as most do.
  for (const name of ['fsync', 'full_page_writes'] as const)
    if (settings?.[name] !== 'on' && !isAssured)
      throw new UnsafeDatabaseError(
        `The database runs with ${name}=off and can lose deliveries: set ${name}=on. Where the platform does not let you, and says that it keeps what it has committed by other means (Aurora, Neon, ZFS): DATABASE_DURABILITY=assured`,
      )
  if (settings?.unsafe !== null) throw new UnsafeDatabaseError(settings?.unsafe)
}

/** The database may be promoted or reconfigured after the start. It is checked at this interval in milliseconds. */
const checkEveryMs = 10_000

/** `startCheckingDurability` logs when the present database can lose commits. */
export function startCheckingDurability(pool: pg.Pool, isAssured: boolean, every = checkEveryMs): Rounds {
  const check = () =>
    checkDurability(pool, isAssured).catch((error: unknown) => {
      if (error instanceof UnsafeDatabaseError) limited.error(error.message, { err: error }, error.message)
    })
  return startRounds(check, every)
}

/**
 * The statement returns in `unsafe` why its own commit is not durable; null when it is. A standby that was promoted may have
 * other settings, and so may a server behind a pooler.
 */
export const readUnsafeCommit = `
  SELECT CASE WHEN setting NOT IN ('on', 'remote_apply') THEN format(
    'The database runs with synchronous_commit=%s and can lose deliveries: set synchronous_commit=on. For this role alone: ALTER ROLE %I SET synchronous_commit = on',
    setting, current_user) END AS unsafe
  FROM current_setting('synchronous_commit') AS setting`
