import path from 'node:path'
import { type SaidRestore, sayRestored } from '../../lib/operations/restore/notice-restore.ts'
import { type LastBackup, recordBackup } from '../../lib/operations/restore/restore-state.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { readDatabaseSettings } from '../../lib/platform/env.ts'
import { OperatorError } from '../../lib/platform/operator-error.ts'
import { formatBytes } from '../../lib/words/labels/formats.ts'
import { type BackupFacts, makeBackup, restoreBackup } from '../backup.ts'
import { findCluster } from '../cluster.ts'
import { openDataDirectory, readSecrets, type Secrets } from '../data-directory.ts'
import { findPostgres, type Login, startPostgres } from '../postgres.ts'
import { logins } from '../postgres-roles.ts'
import { databaseAddress, NotRunning } from './database-address.ts'
import { endProgress, progressLine } from './progress.ts'

/** The command backs up the embedded database with its secrets, while it is used. */
export async function backupCommand([folder, ...more]: readonly string[]): Promise<number> {
  if (folder === undefined || more.length > 0) {
    console.error('Say where to: npm run rampart backup FOLDER, which is empty or not there yet')
    return 2
  }
  const { databaseUrl, databaseDirectUrl } = readDatabaseSettings()
  if (databaseUrl ?? databaseDirectUrl) {
    console.error(
      'DATABASE_URL is set: back that database up with PostgreSQL’s own tools, as docs/backup.md says. This backs up the embedded one.',
    )
    return 1
  }
  const facts = await withOwnDatabase(async (own) => {
    const made = await makeBackup(own, folder, copied())
    endProgress()
    await record(own.url('rampart'), { madeAt: made.madeAt, by: 'rampart' })
    return made
  })
  console.log(`The backup is in ${folder}, and was started once. ${endOf(facts)}`)
  console.log(
    'It holds secrets.json: keep it as secret as the server. RAMPART_KEYS and NEXTAUTH_SECRET are not in it where they are settings of yours: keep them too.',
  )
  return 0
}

/** The command makes a data directory from a backup. */
export async function restoreCommand([folder, ...more]: readonly string[]): Promise<number> {
  if (folder === undefined || more.length > 0) {
    console.error('Say from where: npm run rampart restore FOLDER, into RAMPART_DATA_DIR, which is empty')
    return 2
  }
  const { dataDir } = readDatabaseSettings()
  const facts = await restoreBackup(folder, dataDir, copied())
  endProgress()
  console.log(`${dataDir} holds the backup of ${facts.madeAt}. ${endOf(facts)}`)
  console.log(
    'Make sure that the Rampart it was made of is stopped, then say why, and start: npm run rampart restored REASON',
  )
  return 0
}

/** The command records that a backup was made just now, by a script of the operator. */
export async function backedUpCommand(): Promise<number> {
  await record(databaseAddress(), { madeAt: new Date().toISOString(), by: 'script' })
  console.log('Rampart knows now that a backup was made. "npm run rampart doctor" says how old it is.')
  return 0
}

async function record(url: string, backup: LastBackup): Promise<void> {
  const pool = openPool(url, 1)
  try {
    await recordBackup(pool, backup)
  } finally {
    await pool.end()
  }
}

/** A copy of a few megabytes takes no time, and has no progress. */
function copied(): (bytes: number) => void {
  const show = progressLine(process.stderr)
  return (bytes) => {
    if (bytes > 100_000_000) show(() => `${formatBytes(bytes)} were copied`)
  }
}

const endOf = ({ lastEntry, lastSignAt }: BackupFacts) =>
  `Its audit ends at position ${lastEntry}, its deliveries ${lastSignAt === null ? 'have not begun' : `at ${lastSignAt}`}.`

/** The command records that the database was restored from a backup, and why, before the start on it or after. */
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
      ? `Deliveries that were acknowledged between ${time(gap.began)} and ${time(gap.ended)} are no longer here, and will not be sent again: the page Missed deliveries has words for the provider.`
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

/** The embedded database is available when Rampart runs, and when it does not. */
interface OwnDatabase {
  readonly dataDir: string
  readonly secrets: Secrets
  readonly place: string
  /** The address of a database is for the cluster's superuser or another role. */
  url(database: string, login?: Login): string
}

/**
 * The function works on the embedded database of the running Rampart, or else starts it for this alone. It throws an
 * `OperatorError` where there is none.
 */
async function withOwnDatabase<T>(work: (own: OwnDatabase) => Promise<T>): Promise<T> {
  const { dataDir } = readDatabaseSettings()
  const secrets = readSecrets(dataDir)
  const wanted = path.resolve(dataDir, 'postgres')
  const { place, exists } = findCluster(wanted)
  if (!secrets || !exists)
    throw new OperatorError(
      `There is no embedded database in ${dataDir}. Set RAMPART_DATA_DIR to where it is.`,
    )
  const url = findPostgres(wanted, secrets.postgresPassword)
  if (url) return work({ dataDir, secrets, place, url })
  const directory = openDataDirectory(dataDir, { withPostgres: true, warn: console.error })
  try {
    const logFile = path.join(directory.logs, 'postgres.log')
    const postgres = await startPostgres({ dataDir: wanted, password: secrets.postgresPassword, logFile })
    try {
      return await work({ dataDir, secrets, place, url: postgres.url })
    } finally {
      await postgres.stop()
    }
  } finally {
    directory.close()
  }
}
