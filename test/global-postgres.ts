import type { TestProject } from 'vitest/node'
import { applyMigrations } from '#lib/db/migrate.ts'
import { startTemporaryPostgres } from '../bin/temporary-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgresUrl: string
  }
}

/** One real PostgreSQL for the whole run, with a migrated template that each test file copies. */
export default async function setup(project: TestProject) {
  const postgres = await startTemporaryPostgres('test', ['max_connections=300'])
  await applyMigrations(await postgres.create('rampart_template'))
  project.provide('postgresUrl', postgres.url('postgres'))
  return postgres.stop
}
