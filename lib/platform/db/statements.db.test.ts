import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Pooler, startPooler } from '../../../test/pooler.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure } from '../../../test/service.ts'
import { openPool, pool } from './pool.ts'
import { planByIndex } from './read-pools.ts'
import { planOnce } from './statements.ts'

let database: TestDatabase
let pooler: Pooler

beforeAll(async () => {
  database = await createTestDatabase()
  pooler = await startPooler(database.url)
})
afterAll(async () => {
  pooler.stop()
  await database.drop()
})

const TWICE = planOnce('SELECT 2 * $1::int AS twice')
const KEPT = 'SELECT name, statement AS text FROM pg_prepared_statements'

test.each([
  ['of pages', () => pool()],
  ["that are prepared further, as a projector's", () => openPool(database.url, 1, undefined, planByIndex)],
])('connections %s keep a planned statement', async (_which, open) => {
  configure({ DATABASE_URL: database.url })
  const opened = open()
  const client = await opened.connect()
  for (const n of [1, 2])
    expect((await client.query({ ...TWICE, values: [n] })).rows).toEqual([{ twice: 2 * n }])
  expect((await client.query(KEPT)).rows).toEqual([TWICE])
  client.release()
  await opened.end()
})

test('behind a pooler no statement is kept, since the next one may reach another server process', async () => {
  const pooled = openPool(pooler.url, 1)
  for (const n of [1, 2])
    expect((await pooled.query({ ...TWICE, values: [n] })).rows).toEqual([{ twice: 2 * n }])
  expect((await pooled.query(KEPT)).rows).toEqual([])
  await pooled.end()
})
