import fs from 'node:fs'
import os from 'node:os'
import type { TestProject } from 'vitest/node'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { startTemporaryPostgres } from '../bin/temporary-postgres.ts'
import { keepSandboxes } from './sandboxes.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgresUrl: string
    /** See `keepSandboxes`. */
    readonly sandboxesUrl: string
  }
}

/** Nothing of it survives its end. A test of what does survive starts a PostgreSQL of its own. */
const withoutTheDisk = [
  ...['fsync=off', 'full_page_writes=off', 'max_wal_size=1GB', 'checkpoint_timeout=1h'],
  // It would visit every test's database again and again; tests that want its work do it themselves.
  'autovacuum=off',
]

const gigabyte = 2 ** 30

/** One real PostgreSQL for the whole run, with a migrated template that each test file copies, and sandboxes on it. */
export default async function setup(project: TestProject) {
  // A whole Rampart, which the tests of the built pages start, refuses a database that may forget.
  const isBuilt = project.name === 'built'
  const settings = ['max_connections=300', ...(isBuilt ? [] : withoutTheDisk)]
  const postgres = await startTemporaryPostgres('test', settings, isBuilt ? os.tmpdir() : memoryFolder())
  await applyMigrations(await postgres.create('rampart_template'))
  project.provide('postgresUrl', postgres.url('postgres'))
  const sandboxes = await keepSandboxes(postgres)
  project.provide('sandboxesUrl', sandboxes.url)
  return async () => {
    await sandboxes.stop()
    await postgres.stop()
  }
}

/** A folder in memory where there is one with room: a database is copied there for a tenth of what a busy disk takes. */
function memoryFolder(): string {
  const folder = '/dev/shm'
  if (!fs.existsSync(folder)) return os.tmpdir()
  const { bavail, bsize } = fs.statfsSync(folder)
  return Math.min(bavail * bsize, os.freemem()) > 4 * gigabyte ? folder : os.tmpdir()
}
