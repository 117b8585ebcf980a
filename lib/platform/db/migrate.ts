import 'server-only'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { logOf } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { closeConnection, connect } from './connect.ts'
import { advisoryLocks, findLockHolder, isLockTimeout, waitForLock } from './locks.ts'
import { dropCopies } from './month-keeper.ts'

const log = logOf('database')

class MigrationError extends OperatorError {}

interface MigrationOptions {
  readonly folder?: string
  /**
   * `no` postpones concurrent migrations, since an index over ten million rows can take an hour. The start then applies them
   * after it accepts deliveries. A new database gets them at once.
   */
  readonly concurrent?: 'yes' | 'no'
  readonly say?: (line: string) => void
}

/**
 * `applyMigrations` applies each folder of `prisma/migrations` once, in order, under an advisory lock, and records it as
 * `prisma migrate deploy` would. Decision 0020.
 * @returns the names applied now. Throws `MigrationError` when an applied one was changed, failed before, or is unknown to
 * this older program.
 */
export async function applyMigrations(url: string, options: MigrationOptions = {}): Promise<string[]> {
  const { folder = 'prisma/migrations', concurrent = 'yes', say = (line) => log.info(line) } = options
  const migrations = readMigrations(folder)
  const client = await connect(url, 'rampart migrate', migrationTimeoutMs, 'keeps-sessions')
  try {
    await waitForLock(client, advisoryLocks.migrations, 'another process migrates the database', say)
    await client.query(LEDGER)
    const open = await pendingMigrations(client, migrations)
    const fresh = open.length === migrations.length
    const now: Migration[] = []
    for (const migration of open) {
      if (migration.concurrently && !fresh) continue
      await apply(client, migration, say)
      now.push(migration)
    }
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.migrations])
    if (concurrent === 'yes' && now.length < open.length)
      now.push(...(await applyConcurrently(client, migrations, say)))
    return now.map(({ name }) => name)
  } finally {
    await closeConnection(client)
  }
}

/** `missing` names the migrations that the database lacks. `isReadOnly` is true on a standby, or where a setting says so. */
interface Readiness {
  readonly missing: readonly string[]
  readonly isReadOnly: boolean
}

/**
 * `readReadiness` leaves out the migrations that are applied beside the traffic. A newer version may have applied more.
 * @param limit milliseconds for the answer
 */
export async function readReadiness(pool: pg.Pool, limit: number): Promise<Readiness> {
  needed ??= readMigrations('prisma/migrations').filter(({ concurrently }) => !concurrently)
  const asked = { text: APPLIED, query_timeout: limit }
  const { rows } = await pool.query<{ name: string; read_only: boolean }>(asked)
  const applied = new Set(rows.map(({ name }) => name))
  return {
    missing: needed.map(({ name }) => name).filter((name) => !applied.has(name)),
    isReadOnly: rows.some((row) => row.read_only),
  }
}

let needed: readonly Migration[] | undefined

const APPLIED = `
  SELECT migration_name AS name, current_setting('transaction_read_only')::boolean AS read_only
  FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`

/** The separate lock is kept by a lost connection until its index is built. No start waits for it. */
async function applyConcurrently(
  client: pg.Client,
  migrations: readonly Migration[],
  say: (line: string) => void,
): Promise<Migration[]> {
  await waitForLock(client, advisoryLocks.indexes, 'another process builds indexes', say)
  const open = (await pendingMigrations(client, migrations)).filter(({ concurrently }) => concurrently)
  for (const migration of open) {
    try {
      await changeIndexes(client, migration, say)
    } catch (error) {
      throw failed(migration, error)
    }
    await record(client, migration)
  }
  return open
}

/**
 * `listPendingMigrations` lists what `applyMigrations` would apply, and changes nothing. It throws the same `MigrationError`.
 */
export async function listPendingMigrations(
  client: pg.Client | pg.Pool,
  folder = 'prisma/migrations',
): Promise<{ readonly name: string; readonly concurrently: boolean }[]> {
  const migrations = readMigrations(folder)
  const { rows } = await client.query<{ made: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS made`,
  )
  return rows[0]?.made ? pendingMigrations(client, migrations) : migrations
}

async function pendingMigrations(
  client: pg.Client | pg.Pool,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  )
  const unfinished = rows.find((row) => !row.finished)
  if (unfinished)
    throw new MigrationError(
      `Migration ${unfinished.migration_name} did not finish; see \`prisma migrate resolve\``,
    )
  const applied = new Map(rows.map((row) => [row.migration_name, row.checksum]))
  const changed = migrations.find(
    ({ name, checksum, checksumWithCr }) =>
      ![undefined, checksum, checksumWithCr].includes(applied.get(name)),
  )
  if (changed) throw new MigrationError(`Migration ${changed.name} was changed after it had been applied`)
  const known = new Set(migrations.map(({ name }) => name))
  if (applied.has(firstOfVersion01))
    throw new MigrationError(
      'The database was made by a version of Rampart before 0.2.0, which this version cannot upgrade: give it an empty database.',
    )
  const newer = [...applied.keys()].toSorted().find((name) => !known.has(name))
  if (newer)
    throw new MigrationError(
      `The database has a newer schema than this version of Rampart knows (${newer}): start the newer version again.`,
    )
  return migrations.filter(({ name }) => !applied.has(name))
}

/** Version 0.1, which only its developers have installed, begins with this migration. */
const firstOfVersion01 = '20261121000000_first'

/**
 * One migration may take this many milliseconds before the server listens. The limit ends a connection that has become
 * silent.
 */
const migrationTimeoutMs = 3_600_000

/** A lock that another holds is tried again after this many milliseconds. */
const lockRetryMs = 2_000

/**
 * `apply` runs the migration and its record in one transaction, so a crash leaves neither. Statements queued behind its lock
 * wait at most a second, because the migration then releases it and tries again.
 */
async function apply(client: pg.Client, migration: Migration, say: (line: string) => void) {
  for (let tries = 0; ; tries++) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = '1s'; SET LOCAL client_min_messages = warning`)
      await client.query(dropCopies)
      await client.query(migration.sql)
      await record(client, migration)
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK')
      if (!isLockTimeout(error)) throw failed(migration, error)
      if (tries % 15 === 0) say(`Migration ${migration.name} waits: ${await describeHolder(client)}`)
      await new Promise((resolve) => setTimeout(resolve, lockRetryMs))
    }
  }
}

const failed = ({ name }: Migration, error: unknown) =>
  new MigrationError(`Migration ${name} failed: ${error instanceof Error ? error.message : error}`)

async function describeHolder(client: pg.Client): Promise<string> {
  const holder = await findLockHolder(client)
  if (!holder) return 'a table was in use. Trying again.'
  const { name, pid, tables, seconds } = holder
  const which = tables.length > 80 ? `${tables.slice(0, 80)}…` : tables
  const since = seconds === null ? '' : ` for ${seconds} s`
  return `${name} (process ${pid}) has used ${which}${since}. Trying again until that ends.`
}

async function record(client: pg.Client, { name, checksum }: Migration) {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [crypto.randomUUID(), checksum, name],
  )
}

/** The table has the form that Prisma's own schema engine creates. */
const LEDGER = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

interface Migration {
  readonly name: string
  readonly sql: string
  /** Prisma computes the same checksum: SHA-256 of the file with LF line ends. */
  readonly checksum: string
  /** A clone on Windows may have CRLF line ends and have recorded this checksum. */
  readonly checksumWithCr: string
  /** The first line is `-- rampart: concurrently`. The migration creates and drops indexes, and nothing else. */
  readonly concurrently: boolean
}

const concurrentlyMark = '-- rampart: concurrently'

/** The migrations of `folder` are listed from the oldest on. */
function readMigrations(folder: string): Migration[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8').replaceAll('\r\n', '\n')
      return {
        name,
        sql,
        checksum: digest(sql),
        checksumWithCr: digest(sql.replaceAll('\n', '\r\n')),
        concurrently: sql.split('\n')[0]?.trim() === concurrentlyMark,
      }
    })
}

const digest = (text: string) => crypto.createHash('sha256').update(text).digest('hex')

/**
 * `changeIndexes` changes the indexes of a migration beside running traffic, each statement by itself. The file has plain
 * `CREATE INDEX` and `DROP INDEX`, for Prisma and empty databases. It can be repeated after a crash, also its `ALTER TABLE`,
 * which drops what the indexes make superfluous.
 */
async function changeIndexes(
  client: pg.Client,
  migration: Migration,
  say: (line: string) => void,
): Promise<void> {
  for (const statement of statementsOf(migration.sql)) {
    const made = /^CREATE (UNIQUE )?INDEX "?(\w+)"? (ON .+)$/is.exec(statement)
    const dropped = /^DROP INDEX (?:IF EXISTS )?"?(\w+)"?$/is.exec(statement)
    if (dropped) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${dropped[1]}"`)
    else if (made) await makeIndex(client, made[1] ?? '', made[2] ?? '', made[3] ?? '', say)
    else if (/^ALTER TABLE /i.test(statement)) await alter(client, statement)
    else throw new Error(`neither makes nor drops an index: ${statement.slice(0, 80)}`)
  }
}

async function makeIndex(
  client: pg.Client,
  unique: string,
  name: string,
  on: string,
  say: (line: string) => void,
) {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [`"${name}"`],
  )
  if (rows[0]?.valid) return
  if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY "${name}"`)
  const began = performance.now()
  const make = { text: `CREATE ${unique}INDEX CONCURRENTLY "${name}" ${on}`, query_timeout: indexTimeoutMs }
  await client.query(make)
  say(`Index ${name} is made, in ${Math.round((performance.now() - began) / 1_000)} s.`)
}

/** Statements queued behind this lock wait at most a second, as with any migration. */
async function alter(client: pg.Client, statement: string) {
  for (;;) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = '1s'`)
      await client.query(statement)
      return void (await client.query('COMMIT'))
    } catch (error) {
      await client.query('ROLLBACK')
      if (!isLockTimeout(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
  }
}

/** One index may take this many milliseconds: a day. */
const indexTimeoutMs = 86_400_000

const statementsOf = (sql: string): string[] =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
