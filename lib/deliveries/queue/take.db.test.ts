import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { planByIndex } from '#lib/platform/db/read-pools.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { lowestId, TAKE_NEW } from './take.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url, 2, undefined, planByIndex)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('the head of a long queue is read by index, although statistics say that the queue is empty', async () => {
  await pool.query('ANALYZE delivery_pending')
  await pool.query('INSERT INTO delivery_pending SELECT gen_random_uuid() FROM generate_series(1, 50000)')
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${TAKE_NEW}`, [
    500,
    lowestId,
    null,
    8,
    [],
  ])
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('Index Scan using delivery_pending_pkey')
  expect(plan).not.toContain('Seq Scan on delivery_pending')
})
