import { type SaidRestore, sayRestored } from '#lib/operations/restore/say-restored.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { logins } from '../postgres-roles.ts'
import { databaseAddress, NotRunning } from './database-address.ts'
import { withOwnDatabase } from './own-database.ts'

/** Says that the database was restored from a backup, and why: before the start on it, or after. */
export async function restoredCommand(words: readonly string[]): Promise<number> {
  const reason = words.join(' ').trim()
  if (reason.length < 3) {
    console.error('Say why, for the audit: npm run rampart restored REASON…')
    return 2
  }
  for (const line of linesOf(await withDatabase((url) => say(url, reason)))) console.log(line)
  return 0
}

async function say(url: string, reason: string): Promise<SaidRestore> {
  const pool = openPool(url, 2)
  try {
    return await sayRestored(pool, reason)
  } finally {
    await pool.end()
  }
}

/** The embedded database is restored while nothing runs. */
function withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  try {
    return work(databaseAddress())
  } catch (error) {
    if (!(error instanceof NotRunning)) throw error
    return withOwnDatabase(({ url, secrets }) => work(url('rampart', logins(secrets).application)))
  }
}

const time = (ms: number) => new Date(ms).toISOString()

function linesOf({ kept, gap, ended }: SaidRestore): string[] {
  const lines = [
    kept === 0
      ? 'The audit says so. The backup had no entry in it.'
      : `The audit says so, and that position ${kept} was the last that the backup has.`,
    gap
      ? `Deliveries that were acknowledged between ${time(gap.began)} and ${time(gap.ended)} are no longer here, and will not be sent again: the page Gaps has words for the provider.`
      : 'No delivery had been taken in it, so there is no gap.',
  ]
  if (ended)
    lines.push(
      `Ended: ${ended.sessions} sessions, ${ended.links} links. Stopped: ${ended.imports} imports, ${ended.replays} replays.`,
    )
  lines.push(
    'Whatever else was done after the backup is undone here: people who were erased, members, passkeys, secrets of endpoints. docs/backup.md lists what to look at.',
  )
  return lines
}
