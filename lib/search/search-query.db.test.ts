import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { search } from './search.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

test('a search whose statements take too long is refused, and leaves connections for others meanwhile', async () => {
  const lock = await pool().connect()
  await lock.query('BEGIN; LOCK TABLE identifier IN ACCESS EXCLUSIVE MODE')
  const searches = Array.from({ length: 12 }, () =>
    search(callerWith('support'), { text: crypto.randomUUID() }).catch((error: unknown) => error),
  )
  await expect.poll(async () => (await waiting()).length).toBe(4)
  const first = await waiting()
  expect((await pool().query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  const refused = await searches[0]
  expect(refused).toBeInstanceOf(Refused)
  expect(refused).toMatchObject({ message: 'This search takes too long.' })
  // PostgreSQL stops working on a cancelled statement.
  const stillAtIt = async () => (await waiting()).filter((pid) => first.includes(pid))
  await expect.poll(stillAtIt).toEqual([])
  await lock.query('ROLLBACK')
  lock.release()
  await Promise.all(searches)
  expect(await search(callerWith('support'), { text: crypto.randomUUID() })).toMatchObject({ rows: [] })
})

/** These processes of PostgreSQL have a statement that waits for the table. */
async function waiting(): Promise<number[]> {
  const { rows } = await pool().query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%identifier%'`,
  )
  return rows.map(({ pid }) => pid)
}
