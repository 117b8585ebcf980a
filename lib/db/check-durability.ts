import 'server-only'
import type pg from 'pg'
import { OperatorError } from '#lib/operator-error.ts'

/** The database would answer "committed" before it is on disk. */
export class UnsafeDatabaseError extends OperatorError {}

/**
 * Refuses a database that can forget what it has committed. Throws `UnsafeDatabaseError`, in one line.
 * @param isAssured the operator knows that the platform keeps it by other means than the server's settings
 */
export async function checkDurability(pool: pg.Pool, isAssured = false): Promise<void> {
  const { rows } = await pool.query<Record<'fsync' | 'full_page_writes' | 'commit' | 'role', string>>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
            current_setting('synchronous_commit') AS commit, quote_ident(current_user) AS role`,
  )
  const [settings] = rows
  // ASSUMED: its file system can tear a page when the power fails, as most do.
  for (const name of ['fsync', 'full_page_writes'] as const)
    if (settings?.[name] !== 'on' && !isAssured)
      throw new UnsafeDatabaseError(
        `The database runs with ${name}=off and can lose deliveries: set ${name}=on. Where the platform does not let you, and says that it keeps what it has committed by other means (Aurora, Neon, ZFS): DATABASE_DURABILITY=assured`,
      )
  if (!settings || !['on', 'remote_apply'].includes(settings.commit))
    throw new UnsafeDatabaseError(
      `The database runs with synchronous_commit=${settings?.commit} and can lose deliveries: set synchronous_commit=on. For this role alone: ALTER ROLE ${settings?.role} SET synchronous_commit = on`,
    )
}
