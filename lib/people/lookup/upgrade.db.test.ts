import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { copyMigrations, createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'

// A database in which users were given up because the service was down.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const quietly = { say: () => undefined }
let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
  copyMigrations('20261206020000', folder)
  await applyMigrations(database.url, { folder, ...quietly })
})
afterAll(async () => {
  await database.drop()
  fs.rmSync(folder, { recursive: true })
})

it('an upgrade asks again for users who were given up in an outage, and for no others', async () => {
  const pool = openPool(database.url, 1)
  await pool.query(
    `INSERT INTO user_lookup (user_uuid, outcome, attempts, next_at)
     SELECT gen_random_uuid(), outcome, attempts, NULL
     FROM (VALUES ('refused', 10), ('refused', 1), ('refused', 9), ('refused', 11), ('not-found', 10), ('unreadable', 3), ('read', 10)) AS old (outcome, attempts)`,
  )
  await applyMigrations(database.url, quietly)
  const { rows } = await pool.query(
    'SELECT outcome, attempts, next_at <= now() AS due FROM user_lookup ORDER BY outcome, attempts',
  )
  expect(rows).toEqual([
    { outcome: 'not-found', attempts: 10, due: null },
    { outcome: 'read', attempts: 10, due: null },
    { outcome: 'refused', attempts: 1, due: null },
    { outcome: 'refused', attempts: 9, due: null },
    { outcome: 'refused', attempts: 11, due: null },
    { outcome: 'unreadable', attempts: 3, due: null },
    { outcome: 'waiting', attempts: 0, due: true },
  ])
  await pool.end()
})
