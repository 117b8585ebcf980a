import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { recordAudit } from './record-audit.ts'

const browser = newBrowser()
let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

it('is written inside a transaction alone', async () => {
  const entry = { actor: null, action: 'code.request', outcome: 'done' } as const
  // @ts-expect-error a pool is not a transaction
  await recordAudit(pool(), entry, browser)
})

it('wakes nobody and changes nothing by itself but its times and the chain', async () => {
  const { rows } = await pool().query(
    `SELECT tgname FROM pg_trigger WHERE tgrelid = 'audit'::regclass ORDER BY 1`,
  )
  expect(rows).toEqual([{ tgname: 'audit_dated' }, { tgname: 'audit_linked' }])
})
