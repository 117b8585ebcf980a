import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Pooler, startPooler } from '../../../test/pooler.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { openPool } from './pool.ts'
import { planByIndex, queryByIndex } from './read-pools.ts'

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

const PLANNER = `
  SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) AS off FROM pg_settings
  WHERE name ~ '^enable_(seqscan|bitmapscan|hashjoin|mergejoin)$' AND setting = 'off'`
const allOff = 'enable_bitmapscan off, enable_hashjoin off, enable_mergejoin off, enable_seqscan off'

test.each([
  ['a pooler shares', () => pooler.url],
  ['is its own', () => database.url],
])('what is planned by index leaves nothing on a connection that %s', async (_which, urlOf) => {
  const opened = openPool(urlOf(), 1)
  expect((await queryByIndex(opened, PLANNER)).rows).toEqual([{ off: allOff }])
  await expect(queryByIndex(opened, 'SELECT 1 / 0')).rejects.toThrow('division by zero')
  expect((await opened.query(PLANNER)).rows).toEqual([{ off: null }])
  await opened.end()
})

test('the settings of a pool apply only to connections that are not shared', async () => {
  for (const [url, off] of [
    [pooler.url, null],
    [database.url, allOff],
  ] as const) {
    const opened = openPool(url, 1, undefined, planByIndex)
    expect((await opened.query(PLANNER)).rows).toEqual([{ off }])
    await opened.end()
  }
})
