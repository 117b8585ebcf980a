import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import {
  AllowStandingsExportSchema,
  allowStandingsExport,
  exportStandings,
  StandingsExportSchema,
  standingsFileName,
} from './export-standings.ts'
import { listAccounts } from './list-accounts.ts'
import { listCompanies } from './list-companies.ts'

const support = callerWith('support')
const reason = 'for a ticket'
const accounts = 2_500
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO standing (subject_id, type, state, event_id, currency, entity_uuid, started_at, last_move_at)
     SELECT 'bank-account:' || md5(k::text)::uuid, 'unblockBankAccount',
       CASE WHEN k % 5 = 0 THEN '=FAILED_CREATION' WHEN k % 3 = 0 THEN 'FAILED' ELSE 'ACTIVE' END, gen_random_uuid(),
       CASE WHEN k % 2 = 0 THEN 'EUR' ELSE 'GBP' END, md5('user' || k)::uuid::text, now(), now() - k * interval '1 s'
     FROM generate_series(1, $1) AS k`,
    [accounts],
  )
  await pool().query(
    `INSERT INTO standing (subject_id, type, state, event_id, entity_uuid, started_at, last_move_at)
     SELECT 'entity:' || md5(k::text)::uuid, type, state, gen_random_uuid(), md5(k::text)::uuid::text, now(),
       now() - k * interval '1 s'
     FROM generate_series(1, 30) AS k, (VALUES ('KYB', 'KYB_FAILED'), ('entityStatusUpdate', 'ACTIVE')) AS said (type, state)`,
  )
})
afterAll(() => database.stop())

/** The test asks as a form does and fetches as the page does. `meanwhile` runs after each portion. */
async function take(sent: Record<string, string>, meanwhile: () => Promise<unknown> = async () => {}) {
  const asked = AllowStandingsExportSchema.parse({ ...sent, reason })
  const { ticket, total } = await allowStandingsExport(support, asked, newBrowser())
  let text = ''
  const file = StandingsExportSchema.parse({ ...sent, ticket })
  for await (const portion of await exportStandings(support, file, ticket)) {
    text += portion
    await meanwhile()
  }
  return { text, total }
}

const rowsOf = (csv: string) => csv.trim().split('\r\n').slice(1)
const objectsOf = (ndjson: string) =>
  ndjson.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))

/** The list shows these, page by page. */
async function listed(filters: Parameters<typeof listAccounts>[1]) {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { rows, next } = await listAccounts(support, { ...filters, limit: 200, cursor })
    ids.push(...rows.map(({ id }) => id))
    if (next === null) return ids
    cursor = next
  }
}

test.each([
  { state: 'FAILED' },
  { currency: 'EUR', type: 'unblockBankAccount' as const },
  { look: '1' as const, currency: 'GBP' },
  { state: 'NONE' },
])('a file of %j holds the accounts of the list, in both formats', async (filters) => {
  const ids = await listed({ ...filters, needsAttention: 'look' in filters })
  const [csv, ndjson] = [
    await take({ list: 'accounts', ...filters, format: 'csv' }),
    await take({ list: 'accounts', ...filters, format: 'ndjson' }),
  ]
  expect(rowsOf(csv.text).map((row) => row.slice(0, 36))).toEqual(ids.toSorted())
  expect(objectsOf(ndjson.text).map(({ accountUuid }) => accountUuid)).toEqual(ids.toSorted())
  expect(csv.total?.count).toBe(Math.min(ids.length, 1_000))
})

test('accounts that move while the file is written are in it once', async () => {
  let moved = 0
  const { text, total } = await take({ list: 'accounts', format: 'csv' }, () =>
    pool().query(
      `UPDATE standing SET last_move_at = clock_timestamp() + $1 * interval '1 s'
       WHERE type = 'unblockBankAccount' AND md5(subject_id) LIKE $2`,
      [++moved, `${moved % 10}%`],
    ),
  )
  const ids = rowsOf(text).map((row) => row.slice(0, 36))
  expect(ids).toHaveLength(accounts)
  expect(new Set(ids).size).toBe(accounts)
  expect(moved).toBeGreaterThan(2)
  expect(total).toEqual({ count: 1_000, exact: false, atLeast: true })
})

// The database's collation decides the order of the two types.
test.each([
  ['entityStatusUpdate', 'KYB'],
  ['KYB', 'entityStatusUpdate'],
])('companies whose %s moves while the file is written are in it once', async (moving, last) => {
  const many = `SELECT 'entity:' || md5('many' || k)::uuid FROM generate_series(1, 1500) AS k`
  await pool().query(
    `INSERT INTO standing (subject_id, type, state, event_id, started_at, last_move_at)
     SELECT subject_id, type, 'ACTIVE', gen_random_uuid(), now(), now() - ago
     FROM (${many}) AS company (subject_id), (VALUES ($1, interval '2 h'), ($2, interval '1 h')) AS said (type, ago)`,
    [moving, last],
  )
  const { text } = await take({ list: 'companies', format: 'ndjson' }, () =>
    pool().query('UPDATE standing SET last_move_at = clock_timestamp() WHERE type = $1', [moving]),
  )
  await pool().query(`DELETE FROM standing WHERE subject_id IN (${many})`)
  const ids = objectsOf(text).map(({ companyUuid }) => companyUuid)
  expect(ids).toHaveLength(1_530)
  expect(new Set(ids).size).toBe(1_530)
})

test('no cell is a formula', async () => {
  const { text } = await take({ list: 'accounts', format: 'csv' })
  expect(text).toContain(",'=FAILED_CREATION,")
  expect(text.split('\r\n')[0]).toBe('accountUuid,type,status,doubt,currency,userUuid,startedAt,lastMoveAt')
})

test('a company is one line, with both its standings', async () => {
  const { rows } = await listCompanies(support)
  const { text, total } = await take({ list: 'companies', format: 'ndjson' })
  expect(objectsOf(text)).toHaveLength(30)
  expect(objectsOf(text)[0]).toMatchObject({ verification: 'KYB_FAILED', entityStatus: 'ACTIVE', people: 0 })
  expect(objectsOf(text).map(({ companyUuid }) => companyUuid)).toEqual(rows.map(({ id }) => id).toSorted())
  expect(total).toEqual({ count: 30, exact: true })
  const { text: one } = await take({ list: 'companies', state: 'ACTIVE', format: 'csv' })
  expect(rowsOf(one)).toHaveLength(30)
})

test('it is for roles that work on cases, with a fresh sign-in, for that file only, and the audit names the filters', async () => {
  const asked = AllowStandingsExportSchema.parse({ list: 'accounts', state: 'FAILED', format: 'csv', reason })
  await expect(allowStandingsExport(callerWith('auditor'), asked, newBrowser())).rejects.toThrow(NotAllowed)
  const stale = callerWith('support', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowStandingsExport(stale, asked, newBrowser())).rejects.toThrow(SignInAgain)
  const { ticket } = await allowStandingsExport(support, asked, newBrowser())
  for (const other of [
    { list: 'accounts', format: 'csv' },
    { list: 'accounts', state: 'FAILED', format: 'ndjson' },
    { list: 'companies', state: 'FAILED', format: 'csv' },
  ])
    await expect(exportStandings(support, StandingsExportSchema.parse(other), ticket)).rejects.toThrow(
      NotAllowed,
    )
  const { reason: _, ...file } = asked
  await expect(exportStandings(callerWith('support'), file, ticket)).rejects.toThrow(NotAllowed)
  const { rows } = await pool().query(
    `SELECT details, ${auditReason} FROM audit WHERE action = 'accounts.export' ORDER BY id DESC LIMIT 1`,
  )
  expect(rows).toEqual([{ details: { state: 'FAILED', format: 'csv' }, reason }])
})

test.each([
  { list: 'accounts', format: 'xls' },
  { list: 'users', format: 'csv' },
  { list: 'accounts', type: 'KYC', format: 'csv' },
])('%j is no file', (sent) => {
  expect(StandingsExportSchema.safeParse(sent).success).toBe(false)
})

test('the file’s name says its content and its time', () => {
  const asked = StandingsExportSchema.parse({
    list: 'accounts',
    look: '1',
    type: 'linkBankAccount',
    currency: 'EUR',
    state: crypto.randomUUID(),
    format: 'csv',
  })
  expect(standingsFileName(asked, Date.UTC(2026, 10, 22, 18, 30))).toMatch(
    /^accounts-failed-lately-link-bank-account-eur-[0-9a-f-]{36}-20261122T1830Z\.csv$/,
  )
})
