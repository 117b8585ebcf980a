import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { COUNT_DEAD, countDeadLetters } from './read-queue-state.ts'

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

test.each(['known', 'unknown'])(
  'the dead letters of a queue of %s length are counted without reading what waits',
  async (length) => {
    await pool.query(`
    INSERT INTO delivery_pending SELECT gen_random_uuid() FROM generate_series(1, 20000);
    INSERT INTO delivery_pending SELECT gen_random_uuid(), now() FROM generate_series(1, 3)`)
    if (length === 'known') await pool.query('ANALYZE delivery_pending')
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${COUNT_DEAD}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('delivery_pending_dead_idx')
    expect(plan).not.toContain('Seq Scan')
    expect(await countDeadLetters(pool)).toBe(3)
    await pool.query('TRUNCATE delivery_pending')
  },
)
