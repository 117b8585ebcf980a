import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountTypes } from '#lib/deliveries/rules/event-types.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../../test/callers.ts'
import { makeLists } from '../../../test/lists/make-lists.ts'
import { plansOf, rowsReadBy } from '../../../test/plans.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure } from '../../../test/service.ts'
import { vacuumWhole } from '../../../test/vacuum.ts'
import { everyAccount, listAccounts } from './list-accounts.ts'
import { everyCompany, listCompanies } from './list-companies.ts'
import { listCurrencies, listStandingStates, listUnknownTypes } from './standing-states.ts'
import { readStandings } from './standings.ts'

// Every statement is explained on a list that is large enough for the planner to use an index.
const support = callerWith('support')
let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
  await makeLists(database.url, 40_000)
  configure({ DATABASE_URL: database.url })
  await pool().query(`
    INSERT INTO standing (subject_id, type, state, event_id, currency, entity_uuid, started_at, last_move_at)
    SELECT CASE WHEN types.n < 4 THEN 'bank-account:' ELSE 'entity:' END || md5(k::text)::uuid, type,
      CASE WHEN k % 50 = 0 THEN 'FAILED' WHEN k % 7 = 0 THEN 'DISABLED' ELSE 'ACTIVE' END, gen_random_uuid(),
      CASE WHEN types.n = 1 THEN CASE WHEN k % 9 = 0 THEN 'GBP' ELSE 'EUR' END END, md5((k / 3)::text)::uuid::text,
      now() - k * interval '2 min', now() - k * interval '1 min'
    FROM generate_series(1, 14000) k,
      (VALUES (1, 'unblockBankAccount'), (2, 'linkBankAccount'), (4, 'KYB'), (5, 'entityStatusUpdate'), (6, 'KYC'))
        AS types (n, type)`)
  await vacuumWhole('standing')
})
afterAll(async () => {
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
})

test.each([
  ['all', {}],
  ['of one kind', { type: 'linkBankAccount' as const }],
  ['by state', { state: 'FAILED' }],
  ['by currency', { currency: 'GBP' }],
  ['by both', { state: 'DISABLED', currency: 'GBP' }],
  ['by a state that nothing has', { state: 'NONE' }],
])(
  'accounts, %s, are read in the order of an index, and the next page from where the first ended',
  async (_, filters) => {
    const { next } = await listAccounts(support, { ...filters, limit: 5 })
    await plansOf(() => listAccounts(support, { ...filters, limit: 5 }))
    if (next) await plansOf(() => listAccounts(support, { ...filters, limit: 5, cursor: next }))
    expect(next === null).toBe('state' in filters && filters.state === 'NONE')
  },
)

test.each([
  ['all', {}],
  ['by state', { state: 'FAILED' }],
])('companies, %s, are read in the order of an index', async (_, filters) => {
  const { next } = await listCompanies(support, { ...filters, limit: 5 })
  await plansOf(() => listCompanies(support, { ...filters, limit: 5, cursor: next ?? '' }))
})

test.each([
  ['all', {}],
  ['by state', { state: 'FAILED' }],
  ['by a state that nothing has', { state: 'NONE' }],
])('a walk through accounts and companies, %s, uses indexes', async (_, filters) => {
  await plansOf(() => Array.fromAsync(everyAccount(support, filters)), 100_000)
  await plansOf(() => Array.fromAsync(everyCompany(support, filters)), 100_000)
})

test('a deep page reads about as much as the first', async () => {
  const last = await pool().query<{ last_move_at: Date; subject_id: string }>(
    `SELECT last_move_at, subject_id FROM standing WHERE type = 'KYB' ORDER BY last_move_at LIMIT 1 OFFSET 50`,
  )
  const [row] = last.rows
  const cursor = Buffer.from(JSON.stringify([row?.last_move_at.toISOString(), row?.subject_id])).toString(
    'base64url',
  )
  const page = () => listAccounts(support, { cursor, limit: 20 })
  expect((await page()).rows).toHaveLength(20)
  // The query reads the rows of the page and counts up to a thousand.
  expect(await rowsReadBy(page)).toBeLessThan(3_000)
})

test('choices and a person’s standings are read by an index', async () => {
  await plansOf(() => listStandingStates(support, accountTypes))
  await plansOf(() => listCurrencies(support))
  await plansOf(() => listUnknownTypes(support))
  await plansOf(() => readStandings('support', '00000000-0000-4000-8000-000000000000'))
})
