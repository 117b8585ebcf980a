import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { textOf } from '../../test/text-of.ts'
import { listTransactions } from './list-transactions.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

test('a list is merged of its branches as soon as their indexes are made, and not before', async () => {
  const index = 'transaction_branch_amount_idx'
  const { rows } = await pool().query<{ made: string }>('SELECT pg_get_indexdef($1::regclass) AS made', [
    index,
  ])
  await pool().query(`DROP INDEX ${index}`)
  expect(await isMerged()).toBe(false)
  await pool().query(rows[0]?.made ?? '')
  expect(await isMerged()).toBe(true)
})

async function isMerged(): Promise<boolean> {
  const spy = vi.spyOn(pool(), 'query')
  await listTransactions(callerWith('support'))
  const merged = spy.mock.calls.some(([sql]) => textOf(sql).includes('RECURSIVE'))
  spy.mockRestore()
  return merged
}
