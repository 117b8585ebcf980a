import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { startTemporaryPostgres } from '../bin/temporary-postgres.ts'
import { keepSandboxes } from './sandboxes.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgresUrl: string
    readonly sandboxesUrl: string
    /** See `share.ts`. */
    readonly takesAll: boolean
  }
}

/** Nothing survives the end of this PostgreSQL. A test of durability starts its own. */
const withoutTheDisk = [
  ...['fsync=off', 'full_page_writes=off', 'max_wal_size=1GB', 'checkpoint_timeout=1h'],
  // Autovacuum would visit every test's database repeatedly. Tests that need a vacuum run it themselves.
  'autovacuum=off',
]

const gigabyte = 2 ** 30

/** The whole run shares one real PostgreSQL with sandboxes on it. Each test file copies its migrated template. */
export default async function setup(project: TestProject) {
  // The other projects start a whole Rampart, which refuses a database that may lose data.
  const settings = ['max_connections=300', ...(project.name === 'integration' ? withoutTheDisk : [])]
  const postgres = await startTemporaryPostgres('test', settings, memoryFolder())
  const template = await postgres.create('rampart_template')
  await applyMigrations(template)
  await recordCatalog(template)
  project.provide('takesAll', project.name === 'slow')
  project.provide('postgresUrl', postgres.url('postgres'))
  const sandboxes = await keepSandboxes(postgres)
  project.provide('sandboxesUrl', sandboxes.url)
  return async () => {
    await sandboxes.stop()
    await postgres.stop()
  }
}

const CATALOG = `
  SELECT attrelid AS table, attnum AS number, relname AS table_name, attname AS name, attnotnull AS never_null,
    attndims > 0 AS list
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE attnum > 0 AND relnamespace = 'public'::regnamespace`

/** Databases that are copies of the template have the same OIDs. See `record-statements.ts`. */
async function recordCatalog(url: string) {
  const folder = process.env.RECORD_STATEMENTS
  if (!folder) return
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const columns = await client.query(CATALOG)
  const types = await client.query('SELECT oid AS type, typname AS name FROM pg_type')
  await client.end()
  fs.writeFileSync(
    path.join(folder, 'catalog.json'),
    JSON.stringify({ columns: columns.rows, types: types.rows }),
  )
}

/**
 * A folder in memory is used where there is room, because copying a database there takes a tenth of the time of a busy disk.
 */
function memoryFolder(): string {
  const folder = '/dev/shm'
  if (!fs.existsSync(folder)) return os.tmpdir()
  const { bavail, bsize } = fs.statfsSync(folder)
  return Math.min(bavail * bsize, os.freemem()) > 4 * gigabyte ? folder : os.tmpdir()
}
