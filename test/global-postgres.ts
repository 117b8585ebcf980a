import fs from 'node:fs'
import os from 'node:os'
import type { TestProject } from 'vitest/node'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { startTemporaryPostgres } from '../bin/temporary-postgres.ts'
import { keepSandboxes } from './sandboxes.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgresUrl: string
    readonly sandboxesUrl: string
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
  // The tests of the built pages start a whole Rampart, which refuses a database that may lose data.
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

/**
 * A folder in memory is used where there is room, because copying a database there takes a tenth of the time of a busy disk.
 */
function memoryFolder(): string {
  const folder = '/dev/shm'
  if (!fs.existsSync(folder)) return os.tmpdir()
  const { bavail, bsize } = fs.statfsSync(folder)
  return Math.min(bavail * bsize, os.freemem()) > 4 * gigabyte ? folder : os.tmpdir()
}
