import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { copyMigrations, createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'

// A directory of before texts were cleaned.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const quietly = { say: () => undefined }
let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
  copyMigrations('20261214010000', folder)
  await applyMigrations(database.url, { folder, ...quietly })
})
afterAll(async () => {
  await database.drop()
  fs.rmSync(folder, { recursive: true })
})

it('an upgrade finds people by plain signs whose names have others, and keeps all other terms', async () => {
  const pool = openPool(database.url, 1)
  await pool.query(
    `WITH made AS (INSERT INTO person (user_uuid, last_name, customer_number, customer_number_key, source)
       VALUES (gen_random_uuid(), 'O’Brien–Lima', 'KD‑1', 'kd‐1', 'test') RETURNING user_uuid)
     INSERT INTO person_term (user_uuid, term) SELECT user_uuid, term FROM made, unnest('{o’brien–lima,kd‐1,ana ruiz}'::text[]) AS term`,
  )
  await applyMigrations(database.url, quietly)
  const { rows } = await pool.query(`SELECT term FROM person_term ORDER BY term COLLATE "C"`)
  expect(rows.map(({ term }) => term)).toEqual(['ana ruiz', 'kd-1', 'kd‐1', "o'brien-lima", 'o’brien–lima'])
  expect((await pool.query('SELECT customer_number_key FROM person')).rows).toEqual([
    { customer_number_key: 'kd-1' },
  ])
  await pool.end()
})
