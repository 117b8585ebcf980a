import 'server-only'
import { logOf } from '../log.ts'
import { applyMigrations } from './migrate.ts'

const log = logOf('database')

/** Milliseconds until indexes that could not be made are tried again. */
const retryAfterMs = 60_000

/**
 * Applies what the start left for later, beside the traffic, and tries again until it is done. It needs no end: PostgreSQL
 * finishes an index whose connection is gone, and the next start goes on from there.
 */
export async function finishMigrations(url: string): Promise<void> {
  try {
    await applyMigrations(url)
  } catch (error) {
    log.warn({ err: error }, 'Indexes are still to be made')
    setTimeout(() => void finishMigrations(url), retryAfterMs).unref()
  }
}
