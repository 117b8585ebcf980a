import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import {
  AllowTransactionsExportSchema,
  allowTransactionsExport,
  exportTransactions,
  TransactionsExportSchema,
} from './export-transactions.ts'
import { findSubjects } from './find-subjects.ts'
import type { Found } from './found.ts'
import { search } from './search.ts'

// One part matches three ids: a busy wallet with one match far back, a wallet with few transactions that all
// match, and one that began with others.

const support = callerWith('support')
const part = '0x7e57ab'
const newest = Date.UTC(2026, 10, 20)
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await addMany('busy', { count: 11_000, every: 1, held: [4_000, 10_500] })
  await addMany('calm', { count: 4, every: 3_000, held: [1, 2, 3, 4] })
  await addMany('same', { count: 3, every: 0, held: [1, 2, 3] })
})
afterAll(() => database.stop())

const held = ['same-3', 'same-2', 'same-1', 'calm-1', 'busy-4000', 'calm-2', 'calm-3', 'busy-10500', 'calm-4']

const namesOf = ({ rows }: Found) => rows.map(({ subjectId }) => subjectId.replace('transaction:', ''))

async function everyPage(text: string, limit: number) {
  const pages: Found[] = []
  let cursor: string | undefined
  do {
    const page = await findSubjects(support, text, { step: 'ON_HOLD', limit, cursor })
    pages.push(page)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return pages
}

test.each([1, 2, 3, 50])(
  'pages of %i pass over nothing that an id carries, however many others it carries',
  async (limit) => {
    const pages = await everyPage(part, limit)
    expect(pages.flatMap(namesOf)).toEqual(held)
    for (const { cut, exact } of pages) expect({ cut, exact }).toEqual({ cut: false, exact: null })
  },
)

test('a page that is not full says how far back it looked, and at least how many match', async () => {
  const [first, second, third] = await everyPage(part, 50)
  // This is the 5,001st of all: four of the others are newer.
  expect(first?.scannedTo).toBe(new Date(newest - 4_997_000).toISOString())
  expect(first?.total).toEqual({ count: 5, exact: false, atLeast: true })
  expect(second?.scannedTo).toMatch(/^2026-11-19T21:1/)
  expect(third).toMatchObject({ scannedTo: null, next: null })
})

test('where the newest do not match, a page claims neither that nothing does nor what was meant', async () => {
  await addMany('none', { count: 5_100, every: 1, held: [5_050] })
  const text = walletOf('none')
  const page = await findSubjects(support, text, { step: 'ON_HOLD' })
  expect(page).toMatchObject({ rows: [], near: [], absence: null, scannedTo: expect.any(String) })
  const further = await findSubjects(support, text, { step: 'ON_HOLD', cursor: page.next ?? '' })
  expect(namesOf(further)).toEqual(['none-5050'])
  expect(further).toMatchObject({ scannedTo: null, next: null })
})

test('a later page stays with the id that the first page found, though its text reads as an amount too', async () => {
  await addMany('deep', { count: 5_100, every: 1, held: [] })
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, details, flags, amount_fiat, currency_fiat, started_at, last_move_at)
     VALUES ('transaction:paid', 'paid', 'fiatToCrypto', 'ON_HOLD', '{}', '{}', 12345678, 'CAD', $1, $1)`,
    [new Date(newest - 10_000_000)],
  )
  const [first, second, third] = await everyPage('12345678CAD', 50)
  expect(first?.scannedTo).not.toBeNull()
  expect(second).toMatchObject({ rows: [], next: null })
  expect(third).toBeUndefined()
})

test('a file of a search with a filter is whole', async () => {
  const { link } = await search(support, { text: part })
  const sent = { link: link ?? '', step: 'ON_HOLD', format: 'ndjson' }
  const asked = AllowTransactionsExportSchema.parse({ ...sent, reason: 'for a ticket' })
  const { ticket } = await allowTransactionsExport(support, asked, newBrowser())
  const file = await Array.fromAsync(
    await exportTransactions(support, TransactionsExportSchema.parse(sent), ticket),
  )
  const uuids = file.join('').match(/(?<="transactionUuid":")[^"]+/g)
  expect(uuids).toEqual(held)
})

const walletOf = (name: string) => {
  const rest = crypto.createHash('sha256').update(name).digest('hex')
  if (name === 'none') return `0x${rest.slice(0, 40)}`
  return name === 'deep' ? `12345678cad${rest.slice(0, 29)}` : `${part}${rest.slice(0, 34)}`
}

/** The transactions of one wallet are this many seconds apart, newest first; the numbered ones are held. */
const addMany = (name: string, given: { count: number; every: number; held: readonly number[] }) =>
  pool().query(
    `WITH made AS (
       INSERT INTO transaction (subject_id, uuid, direction, step, details, flags, started_at, last_move_at)
       SELECT 'transaction:' || name, name, 'fiatToCrypto', CASE WHEN n = ANY($4::int[]) THEN 'ON_HOLD' ELSE 'SUCCESS' END,
         '{}', '{}', at, at
       FROM generate_series(1, $2::int) n, LATERAL (
         SELECT $1 || '-' || n AS name, $5::timestamptz - n * $3::int * interval '1 s' AS at) AS each
       RETURNING subject_id, started_at
     ) INSERT INTO identifier (subject_id, value, started_at) SELECT subject_id, $6, started_at FROM made`,
    [name, given.count, given.every, given.held, new Date(newest), walletOf(name)],
  )
