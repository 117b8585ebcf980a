import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../test/callers.ts'
import {
  copyMigrations,
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { findSubjects } from './find-subjects.ts'

// A database of before decision 0025, with the same id under two kinds.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const quietly = { say: () => undefined }
let database: TestDatabase
let fresh: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
  fresh = await createTestDatabase()
  configure({ DATABASE_URL: database.url })
  copyMigrations('20261124', folder)
  await applyMigrations(database.url, { folder, ...quietly })
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, details, flags, started_at, last_move_at)
     SELECT 'transaction:old-' || n, 'old-' || n, '{}', '{}', now(), now() FROM generate_series(1, 3) n`,
  )
  await pool().query(
    `INSERT INTO identifier (subject_id, kind, value, reversed)
     SELECT subject_id, kind, value, reverse(value) FROM transaction, (VALUES ('user', 'u-1234'), ('wallet', 'u-1234'), ('hash', '0xabcd')) AS v (kind, value)`,
  )
})
afterAll(async () => {
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
  await fresh.drop()
  fs.rmSync(folder, { recursive: true })
})

const found = async (text: string) =>
  (await findSubjects(callerWith('compliance'), text)).rows.map(({ subjectId }) =>
    subjectId.slice('transaction:'.length),
  )

test('everything stays findable during the upgrade, listed after new subjects', async () => {
  await applyMigrations(database.url, { concurrent: 'no', ...quietly })
  const old = ['old-3', 'old-2', 'old-1']
  for (const text of ['u-1234', 'u-12', '1234', '0xabcd']) expect(await found(text), text).toEqual(old)
  await pool().query(
    `WITH made AS (INSERT INTO transaction (subject_id, uuid, details, flags, started_at, last_move_at)
       VALUES ('transaction:new', 'new', '{}', '{}', now(), now()) RETURNING subject_id, started_at)
     INSERT INTO identifier (subject_id, value, started_at) SELECT subject_id, 'u-1234', started_at FROM made`,
  )
  expect(await found('u-1234')).toEqual(['new', ...old])
  await applyMigrations(database.url, quietly)
  for (const text of ['u-1234', 'u-12', '1234']) expect(await found(text), text).toEqual(['new', ...old])
})

test('ends in the table that a new database has', async () => {
  const columns = `SELECT column_name, data_type, is_nullable, column_default, collation_name
    FROM information_schema.columns WHERE table_name = 'identifier' ORDER BY column_name`
  const indexes = `SELECT indexdef FROM pg_indexes WHERE tablename = 'identifier' ORDER BY indexdef`
  const upgraded = [(await pool().query(columns)).rows, (await pool().query(indexes)).rows]
  await pool().end()
  globalThis.rampartPool = undefined
  configure({ DATABASE_URL: fresh.url })
  expect(upgraded).toEqual([(await pool().query(columns)).rows, (await pool().query(indexes)).rows])
})
