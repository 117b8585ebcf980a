import 'server-only'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { advisoryLocks } from './advisory-locks.ts'

export class MigrationError extends Error {}

/**
 * Brings the database to the newest schema: applies each folder of `prisma/migrations` once, in
 * order, under an advisory lock, and records it as `prisma migrate deploy` would.
 * @returns the names applied now. Throws `MigrationError` when an applied one was changed or failed before.
 */
export async function applyMigrations(url: string, folder = 'prisma/migrations'): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks.migrations])
    await client.query(LEDGER)
    const applied = await appliedMigrations(client)
    const now: string[] = []
    for (const migration of readMigrations(folder)) {
      const earlier = applied.get(migration.name)
      if (earlier === migration.checksum) continue
      if (earlier)
        throw new MigrationError(`Migration ${migration.name} was changed after it had been applied`)
      await apply(client, migration)
      now.push(migration.name)
    }
    return now
  } finally {
    await client.end()
  }
}

interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

function readMigrations(folder: string): Migration[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: crypto.createHash('sha256').update(sql).digest('hex') }
    })
}

async function appliedMigrations(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  )
  const unfinished = rows.find((row) => row.finished_at === null)
  if (unfinished)
    throw new MigrationError(
      `Migration ${unfinished.migration_name} did not finish; see \`prisma migrate resolve\``,
    )
  return new Map(rows.map((row) => [row.migration_name, row.checksum]))
}

/** Each migration and its record in one transaction: a crash leaves neither. */
async function apply(client: pg.Client, { name, sql, checksum }: Migration) {
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [crypto.randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw new MigrationError(`Migration ${name} failed: ${error instanceof Error ? error.message : error}`)
  }
}

/** The table as Prisma's own schema engine creates it. */
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
