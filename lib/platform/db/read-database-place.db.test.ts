import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { inTransaction } from './in-transaction.ts'
import { openPool } from './pool.ts'
import { readDatabasePlace, readPlaceKey } from './which-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a role that may not read the cluster gets the rest, and its transaction continues', async () => {
  const owner = openPool(database.url)
  await owner.query(`CREATE ROLE "kept_out" LOGIN PASSWORD 'x'`)
  const url = new URL(database.url)
  url.username = 'kept_out'
  url.password = 'x'
  const pool = openPool(url.href)
  try {
    const whole = await readDatabasePlace(pool)
    expect(whole).toEqual({
      name: url.pathname.slice(1),
      oid: expect.any(String),
      cluster: expect.any(String),
    })
    expect(await readPlaceKey(pool)).toBe(`${whole.cluster}/${whole.oid}`)
    await owner.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC')
    const key = await inTransaction(pool, async (tx) => {
      expect(await readDatabasePlace(tx)).toEqual({ ...whole, cluster: null })
      return readPlaceKey(tx)
    })
    expect(key).toBeNull()
  } finally {
    await pool.end()
    await owner.query('DROP ROLE "kept_out"')
    await owner.end()
  }
})
