import type { TestProject } from 'vitest/node'
import { applyMigrations } from '#lib/db/migrate.ts'
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
const withoutTheDisk = ['fsync=off', 'full_page_writes=off', 'max_wal_size=4GB', 'checkpoint_timeout=1h']

/** One real PostgreSQL for the whole run, with a migrated template that each test file copies, and sandboxes on it. */
export default async function setup(project: TestProject) {
  // A whole Rampart, which the tests of the built pages start, refuses a database that may forget.
  const settings = project.name === 'built' ? [] : withoutTheDisk
  const postgres = await startTemporaryPostgres('test', ['max_connections=300', ...settings])
  await applyMigrations(await postgres.create('rampart_template'))
  project.provide('postgresUrl', postgres.url('postgres'))
  const sandboxes = await keepSandboxes(postgres)
  project.provide('sandboxesUrl', sandboxes.url)
  return async () => {
    await sandboxes.stop()
    await postgres.stop()
  }
}
