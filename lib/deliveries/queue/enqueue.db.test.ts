import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { requeueForRun } from './enqueue.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url, 2)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('a run requeues folded deliveries and dead letters, and leaves waiting ones unchanged', async () => {
  const [fresh, ofOther, dead, folded] = Array.from({ length: 4 }, () => crypto.randomUUID())
  const [other, run] = [crypto.randomUUID(), crypto.randomUUID()]
  await pool.query(
    `INSERT INTO delivery_pending (delivery_id, run, dead_lettered_at, error)
     VALUES ($1, NULL, NULL, NULL), ($2, $4, NULL, NULL), ($3, NULL, now(), 'a bug')`,
    [fresh, ofOther, dead, other],
  )
  await pool.query(requeueForRun([fresh, ofOther, dead, folded].map(String), run))
  const { rows } = await pool.query<{ id: string }>(
    'SELECT delivery_id AS id, run, dead_lettered_at AS died, error FROM delivery_pending',
  )
  expect(new Map(rows.map(({ id, ...row }) => [id, row]))).toEqual(
    new Map([
      [fresh, { run: null, died: null, error: null }],
      [ofOther, { run: other, died: null, error: null }],
      [dead, { run, died: null, error: null }],
      [folded, { run, died: null, error: null }],
    ]),
  )
})
