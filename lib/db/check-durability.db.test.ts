import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { checkDurability, UnsafeDatabaseError } from './check-durability.ts'
import { openPool } from './pool.ts'

/** The other tests' own does without fsync. */
let safe: TemporaryPostgres
beforeAll(async () => {
  safe = await startTemporaryPostgres('safe')
})
afterAll(() => safe.stop())

async function check(options?: string) {
  const pool = openPool(`${safe.url('postgres')}${options ? `?options=${encodeURIComponent(options)}` : ''}`)
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
  const checked = check(`-c synchronous_commit=${value}`)
  await expect(checked).rejects.toThrow(UnsafeDatabaseError)
  await expect(checked).rejects.toThrow(`synchronous_commit=${value}`)
})
