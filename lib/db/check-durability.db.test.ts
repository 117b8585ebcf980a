import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { checkDurability, UnsafeDatabaseError } from './check-durability.ts'
import { openPool } from './pool.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function check(options?: string) {
  const pool = new pg.Pool({ connectionString: database.url, ...(options ? { options } : {}) })
  await checkDurability(pool).finally(() => pool.end())
}

test('takes a database that commits to disk', () => check())

test.each(['fsync', 'full_page_writes'])('refuses %s=off', async (setting) => {
  const postgres = await startTemporaryPostgres('unsafe', [`${setting}=off`])
  const pool = openPool(postgres.url('postgres'))
  await expect(checkDurability(pool)).rejects.toThrow(`${setting}=off`)
  await pool.end()
  await postgres.stop()
})

test.each(['off', 'local', 'remote_write'])('refuses synchronous_commit=%s', async (value) => {
  await expect(check(`-c synchronous_commit=${value}`)).rejects.toThrow(UnsafeDatabaseError)
})
