import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import { readFilters } from '#lib/transactions/rules/read-filters.ts'
import { auditReason } from '../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../test/folding.ts'
import { addReceiver } from '../../test/ingest.ts'
import {
  AllowTransactionsExportSchema,
  allowTransactionsExport,
  exportTransactions,
  TransactionsExportSchema,
  transactionsFileName,
} from './export-transactions.ts'
import { search } from './search.ts'

const support = callerWith('support')
const ana = '11111111-1111-4111-8111-111111111111'
const uuids = Array.from(
  { length: 30 },
  (_, n) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
)
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(`INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test')`, [
    ana,
    'ana@demo.test',
  ])
  const { id: receiverId } = await addReceiver(pool())
  await appendPastDeliveries(
    uuids.map((transactionUuid, n) => ({
      receiverId,
      receivedAt: new Date(Date.UTC(2026, 10, 20) + n * 60_000),
      body: Buffer.from(
        JSON.stringify({
          type: 'fiatToCrypto',
          subType: n % 3 === 0 ? 'ON_HOLD' : 'PENDING',
          uuid: n % 2 === 0 ? ana : crypto.randomUUID(),
          data: {
            transactionUuid,
            amountFiat: n,
            currencyFiat: n % 2 ? 'EUR' : 'GBP',
            status: n === 3 ? '=cmd|"/c calc"!A1' : 'ON_HOLD_KYC',
            senderDetails: {
              senderName: 'Sandra Sender',
              accountDetails: { iban: 'PT50000201231234567890154' },
            },
          },
        }),
      ),
    })),
  )
  await foldWaiting(await takeAllShards(pool()))
})
afterAll(() => database.stop())

const reason = 'for a ticket'

/** The test asks like the form and fetches like the page. */
async function take(sent: Record<string, string>) {
  const { ticket, total } = await allowTransactionsExport(
    support,
    AllowTransactionsExportSchema.parse({ ...sent, reason }),
    newBrowser(),
  )
  const portions = await exportTransactions(
    support,
    TransactionsExportSchema.parse({ ...sent, ticket }),
    ticket,
  )
  return { text: (await Array.fromAsync(portions)).join(''), total }
}

const uuidsIn = (text: string) => text.match(/[0-9]{8}-0000-4000-8000-000000000000/g) ?? []

test.each([
  {},
  { step: 'ON_HOLD' },
  { currency: 'eur', min: '10' },
  { user: ana, max: '20.5' },
  { step: 'none' },
])('a file of %j holds the rows of the list, in both formats', async (filters) => {
  const { match } = readFilters(filters, Date.now())
  const { rows } = await listTransactions(support, { ...match, limit: 200 })
  const listed = rows.map(({ uuid }) => uuid)
  const csv = await take({ ...filters, format: 'csv' })
  expect(uuidsIn(csv.text)).toEqual(listed)
  expect(csv.total).toEqual({ count: listed.length, exact: true })
  expect(csv.text.split('\r\n')[0]).toBe(
    'transactionUuid,direction,subType,status,amountFiat,currencyFiat,amountCrypto,currencyCrypto,amountRefunded,chain,transactionHash,userUuid,startedAt,lastMoveAt,finishedAt,flags,stuck,receipt,payout',
  )
  const { text } = await take({ ...filters, format: 'ndjson' })
  const objects: unknown[] = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  expect(objects).toMatchObject(
    rows.map((row) => ({ transactionUuid: row.uuid, amountFiat: row.amountFiat, subType: row.step })),
  )
})

test('what is contradicted or in doubt says so in its line', async () => {
  const uuid = uuids[1]
  const flagged = (flags: readonly string[]) =>
    pool().query('UPDATE transaction SET flags = $2 WHERE uuid = $1', [uuid, flags])
  const lineOf = (text: string) => text.split(/\r?\n/).find((line) => line.includes(uuid ?? '-'))
  await flagged(['conflict', 'order-unsure'])
  const [csv, ndjson] = [await take({ format: 'csv' }), await take({ format: 'ndjson' })]
  await flagged([])
  expect(lineOf(csv.text)).toMatch(/,conflict order-unsure,(true|false),[^,]*,[^,]*$/)
  expect(JSON.parse(lineOf(ndjson.text) ?? '')).toMatchObject({
    flags: ['conflict', 'order-unsure'],
    stuck: expect.any(Boolean),
  })
  expect(lineOf((await take({ format: 'csv' })).text)).toMatch(/,,(true|false),[^,]*,[^,]*$/)
})

test('no cell is a formula, and nothing is in it that the list does not show', async () => {
  const { text } = await take({ format: 'csv' })
  expect(text).toContain(`,"'=cmd|""/c calc""!A1",`)
  expect(text).not.toMatch(/Sandra|PT50|ana@/)
})

test('a search and filters together are a file of what both find', async () => {
  const { link } = await search(support, { text: 'ana@demo.test' })
  const { text, total } = await take({ step: 'ON_HOLD', link: link ?? '', format: 'csv' })
  expect(uuidsIn(text)).toEqual(uuids.filter((_, n) => n % 6 === 0).toReversed())
  expect(total).toBeNull()
  await expect(take({ link: crypto.randomUUID(), format: 'csv' })).rejects.toThrow(Refused)
})

test('a file is for one session, one set of filters and a fresh sign-in, and is in the audit', async () => {
  const asked = AllowTransactionsExportSchema.parse({ step: 'ON_HOLD', user: ana, format: 'csv', reason })
  const { ticket } = await allowTransactionsExport(support, asked, newBrowser())
  const same = TransactionsExportSchema.parse({ step: 'ON_HOLD', user: ana, format: 'csv' })
  await exportTransactions(support, same, ticket)
  for (const other of [{ step: 'ON_HOLD' }, { step: 'PENDING', user: ana }, {}])
    await expect(
      exportTransactions(support, TransactionsExportSchema.parse({ ...other, format: 'csv' }), ticket),
    ).rejects.toThrow(NotAllowed)
  await expect(exportTransactions(support, { ...same, format: 'ndjson' }, ticket)).rejects.toThrow(NotAllowed)
  await expect(exportTransactions(callerWith('support'), same, ticket)).rejects.toThrow(NotAllowed)
  await expect(allowTransactionsExport(callerWith('auditor'), asked, newBrowser())).rejects.toThrow(
    NotAllowed,
  )
  const stale = callerWith('support', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowTransactionsExport(stale, asked, newBrowser())).rejects.toThrow(SignInAgain)
  const { rows } = await pool().query(
    `SELECT details, ${auditReason} FROM audit WHERE action = 'transactions.export' AND details ->> 'person' = $1
     ORDER BY id DESC LIMIT 1`,
    [ana],
  )
  expect(rows).toEqual([{ details: { step: 'ON_HOLD', person: ana, format: 'csv' }, reason }])
  const { rows: reported } = await pool().query(
    `SELECT facts FROM admin_notice WHERE kind = 'data-exported' ORDER BY id DESC LIMIT 1`,
  )
  expect(reported).toEqual([{ facts: { what: 'transactions of a list' } }])
})

test.each([{ min: 'x' }, { user: 'ana@demo.test' }, { from: '2026-02-30' }, { format: 'xlsx' }])(
  'what is no filter and no format is refused beside its field: %j',
  (sent) => {
    const { error } = AllowTransactionsExportSchema.safeParse({ format: 'csv', ...sent, reason })
    expect(error?.issues.map(({ path }) => path)).toEqual([[Object.keys(sent)[0]]])
  },
)

test('once nobody takes the file, nothing more is read for it', async () => {
  const { ticket } = await allowTransactionsExport(
    support,
    AllowTransactionsExportSchema.parse({ format: 'csv', reason }),
    newBrowser(),
  )
  const asked = TransactionsExportSchema.parse({ format: 'csv' })
  const portions = await exportTransactions(support, asked, ticket)
  const spy = vi.spyOn(pool(), 'query')
  expect((await portions.next()).value).toMatch(/^transactionUuid,/)
  expect(spy).not.toHaveBeenCalled()
  await portions.return(undefined)
  expect((await portions.next()).done).toBe(true)
  expect(spy).not.toHaveBeenCalled()
  spy.mockRestore()
})

test('its name says what is in it and when it was made', () => {
  const asked = TransactionsExportSchema.parse({ step: 'ON_HOLD', user: ana, format: 'ndjson' })
  expect(transactionsFileName(asked, Date.UTC(2026, 10, 22, 18, 30))).toBe(
    'transactions-one-person-on-hold-20261122T1830Z.ndjson',
  )
})
