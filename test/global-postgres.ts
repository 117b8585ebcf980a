import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { applyMigrations } from '#lib/db/migrate.ts'
import { startPostgres } from '../bin/postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

/** One real PostgreSQL for the whole run, with a migrated template that each test file copies. */
export default async function setup(project: TestProject) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-test-'))
  fs.chmodSync(folder, 0o711)
  const postgres = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    password: 'test',
    logFile: path.join(folder, 'postgres.log'),
    settings: ['max_connections=300'],
  })
  const admin = new pg.Client({ connectionString: postgres.url('postgres') })
  await admin.connect()
  await admin.query('CREATE DATABASE rampart_template')
  await admin.end()
  await applyMigrations(postgres.url('rampart_template'))
  project.provide('postgresUrl', postgres.url('postgres'))
  return async () => {
    await postgres.stop()
    fs.rmSync(folder, { recursive: true })
  }
}
