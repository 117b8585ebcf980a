import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { captureLog } from '../../../test/log.ts'
import { checkDurability, startCheckingDurability, UnsafeDatabaseError } from './check-databases.ts'
import { openPool } from './pool.ts'

/** The other tests' server runs without fsync. */
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
  await expect(checkDurability(pool)).rejects.toThrow(
    new RegExp(`${setting}=off .*DATABASE_DURABILITY=assured$`),
  )
  // The database may have been promoted since the start.
  const logged = captureLog()
  const checking = startCheckingDurability(pool, false, 20)
  await expect.poll(() => logged.text()).toContain(`${setting}=off and can lose deliveries`)
  await checking.stop()
  expect(logged.lines).toHaveLength(1)
  logged.stop()
  // The platform keeps commits. Rampart must still refuse a commit that is reported too early.
  await checkDurability(pool, true)
  await pool.query(`ALTER ROLE CURRENT_USER SET synchronous_commit = off`)
  const later = openPool(postgres.url('postgres'))
  await expect(checkDurability(later, true)).rejects.toThrow(
    /synchronous_commit=off .*ALTER ROLE rampart SET synchronous_commit = on$/,
  )
  await later.end()
  await pool.end()
  await postgres.stop()
})

test.each(['off', 'local', 'remote_write'])('refuses synchronous_commit=%s', async (value) => {
  const checked = check(`-c synchronous_commit=${value}`)
  await expect(checked).rejects.toThrow(UnsafeDatabaseError)
  await expect(checked).rejects.toThrow(`synchronous_commit=${value}`)
})
