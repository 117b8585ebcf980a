import 'server-only'
import type pg from 'pg'
import { OperatorError } from '#lib/operator-error.ts'

/** The database would answer "committed" before it is on disk. */
export class UnsafeDatabaseError extends OperatorError {}

/** Refuses a database that can forget what it has committed. Throws `UnsafeDatabaseError`, in one line. */
export async function checkDurability(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; full_page_writes: string; synchronous_commit: string }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
            current_setting('synchronous_commit') AS synchronous_commit`,
  )
  const [settings] = rows
  if (settings?.fsync !== 'on')
    throw new UnsafeDatabaseError('The database runs with fsync=off and can lose deliveries: set fsync=on')
  // ASSUMED: its file system can tear a page when the power fails, as most do.
  if (settings.full_page_writes !== 'on')
    throw new UnsafeDatabaseError(
      'The database runs with full_page_writes=off and can lose deliveries: set full_page_writes=on',
    )
  if (!['on', 'remote_apply'].includes(settings.synchronous_commit))
    throw new UnsafeDatabaseError(
      `The database runs with synchronous_commit=${settings.synchronous_commit} and can lose deliveries: set synchronous_commit=on`,
    )
}
