import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { listFilterChoices, nameUser } from './filters.ts'
import { everyTransaction, listTransactions, type Reach } from './list-transactions.ts'
import { isStuck, toUsualStays, type UsualStay } from './rules/is-stuck.ts'
import {
  filterFlags,
  partsOf,
  stepOfReason,
  type TransactionMatch,
  type TransactionSort,
  transactionSorts,
} from './rules/transaction-filters.ts'

// The lists are compared with a slow and obvious reference: every row of made data is checked one by one.

const support = callerWith('support')
const day = 24 * 3_600_000
const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000
const ana = '11111111-1111-4111-8111-111111111111'
let database: TestConfiguration
let all: TransactionRow[]
let usual: UsualStay[]

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(MAKE, [ana, new Date(hour)])
  await pool().query(`INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test')`, [
    ana,
    'ana@demo.test',
  ])
  all = (await pool().query<TransactionRow>('SELECT * FROM transaction')).rows
  usual = [
    { direction: 'fiatToCrypto', step: 'PENDING', currencyFiat: null, chain: null, ms: 3 * 3_600_000 },
    { direction: 'fiatToCrypto', step: 'PENDING', currencyFiat: 'EUR', chain: null, ms: 20 * 60_000 },
    { direction: 'fiatToCrypto', step: 'PENDING', currencyFiat: 'EUR', chain: 'polygon', ms: day },
    { direction: 'cryptoToFiat', step: 'IN_PROGRESS', currencyFiat: '', chain: null, ms: 2 * day },
  ]
  for (const { direction, step, currencyFiat, chain, ms } of usual)
    await pool().query('INSERT INTO usual_stay VALUES ($1, $2, $3, $4, $5, 100)', [
      direction,
      step,
      currencyFiat ?? '*',
      chain ?? '*',
      ms,
    ])
})
afterAll(() => database.stop())

/**
 * The made rows combine directions, steps, reasons and so on in every way; some share a time or an amount, some lack one.
 */
const MAKE = `
  INSERT INTO transaction (subject_id, uuid, direction, step, reason, currency_fiat, currency_crypto, chain, amount_fiat,
    amount_crypto, user_uuid, details, flags, started_at, last_move_at, step_began_at)
  SELECT 'transaction:' || id, id,
    (ARRAY['fiatToCrypto', 'cryptoToFiat', 'fiatToCrypto', NULL])[1 + n % 4],
    (ARRAY['PENDING', 'IN_PROGRESS', 'SUCCESS', 'ON_HOLD', 'FAILED', 'SUCCESS', 'A_NEW_STEP', NULL])[1 + n / 3 % 8],
    (ARRAY['ON_HOLD_KYC', NULL, 'PROCESS_COMPLETED', 'ON_HOLD_PROCESS', 'A_NEW_REASON'])[1 + n / 7 % 5],
    (ARRAY['EUR', 'GBP', 'EUR', NULL])[1 + n / 5 % 4], (ARRAY['usdc', 'USDT', NULL])[1 + n / 11 % 3],
    (ARRAY['polygon', 'Base', NULL])[1 + n / 13 % 3],
    CASE WHEN n % 5 > 0 THEN n * 7919 % 97 + 0.5 END, CASE WHEN n % 3 > 0 THEN n * 7907 % 89 END,
    (ARRAY[$1, 'somebody', NULL])[1 + n / 17 % 3], '{}',
    (ARRAY['{}', '{}', '{conflict}', '{late,order-unsure}', '{repeat-unsure}', '{conflict,late}'])[1 + n / 19 % 6]::text[],
    started, started + n % 9 * interval '20 min', CASE WHEN n % 4 = 0 THEN started END
  FROM generate_series(1, 700) AS n,
    LATERAL (SELECT lpad(n::text, 4, '0') AS id,
      $2::timestamptz - n * 7901 % 200 * interval '1 hour' AS started) AS made`

/** Each entry sets one filter; `undefined` fields are unset. */
const alone: readonly TransactionMatch[] = [
  { direction: 'cryptoToFiat' },
  { step: 'SUCCESS' },
  { step: 'none like this' },
  { reason: 'ON_HOLD_KYC' },
  { reason: 'A_NEW_REASON' },
  { currency: 'EUR' },
  { currency: 'USDC' },
  { chain: 'base' },
  { amountFrom: '40.5' },
  { amountTo: '20' },
  { amountFrom: '10', amountTo: '60.50' },
  { currency: 'USDT', amountFrom: '30', amountTo: '50' },
  { startedFrom: hour - 3 * day },
  { startedTo: hour - 5 * day },
  { startedFrom: hour - 6 * day, startedTo: hour - 2 * day },
  { userUuid: ana },
  ...filterFlags.map((flag) => ({ flags: [flag] })),
]

const matches = (row: TransactionRow, match: TransactionMatch): boolean => {
  const { reason, currency, chain, amountFrom, amountTo, startedFrom, startedTo, flags = [] } = match
  const coin = currency === 'USDC' || currency === 'USDT'
  const amount = coin ? row.amount_crypto : row.amount_fiat
  const like = {
    direction: row.direction,
    step: row.step,
    currencyFiat: row.currency_fiat,
    chain: row.chain,
  }
  const stuck = isStuck(like, standsSince(row).getTime(), Date.now(), toUsualStays(usual))
  return (
    (match.direction === undefined || row.direction === match.direction) &&
    (match.step === undefined || row.step === match.step) &&
    (reason === undefined || row.reason === reason) &&
    (reason === undefined || stepOfReason(reason) === null || row.step === stepOfReason(reason)) &&
    (currency === undefined ||
      [row.currency_fiat, row.currency_crypto].some((each) => each?.toUpperCase() === currency)) &&
    (chain === undefined || row.chain?.toLowerCase() === chain) &&
    (amountFrom === undefined || (amount !== null && Number(amount) >= Number(amountFrom))) &&
    (amountTo === undefined || (amount !== null && Number(amount) <= Number(amountTo))) &&
    (startedFrom === undefined || row.started_at.getTime() >= startedFrom) &&
    (startedTo === undefined || row.started_at.getTime() < startedTo) &&
    (match.userUuid === undefined || row.user_uuid === match.userUuid) &&
    flags.every((flag) => (flag === 'stuck' ? stuck : row.flags.includes(flag)))
  )
}

const placeOf: Record<TransactionSort, (row: TransactionRow) => readonly number[]> = {
  started: (row) => [row.started_at.getTime()],
  moved: (row) => [row.last_move_at.getTime()],
  amount: (row) => [Number(row.amount_fiat ?? -Infinity), row.started_at.getTime()],
}

/** The reference returns the ids that the list should contain, in order. */
function reference(match: TransactionMatch, sort: TransactionSort): string[] {
  const sorted = all
    .filter((row) => matches(row, match))
    .map((row) => ({ uuid: row.uuid, place: placeOf[sort](row) }))
    .sort((a, b) => {
      for (const [i, value] of a.place.entries()) {
        const other = b.place[i] ?? 0
        if (value !== other) return other > value ? 1 : -1
      }
      return b.uuid > a.uuid ? 1 : -1
    })
  return sorted.map(({ uuid }) => uuid)
}

/** The list is read page by page. */
async function listed(match: TransactionMatch, sort: TransactionSort, limit: number, reach?: Reach) {
  const uuids: string[] = []
  let cursor: string | undefined
  let first: Awaited<ReturnType<typeof listTransactions>> | undefined
  do {
    const page = await listTransactions(support, { ...match, sort, limit, cursor }, reach)
    first ??= page
    uuids.push(...page.rows.map(({ uuid }) => uuid))
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    cursor = page.next ?? undefined
  } while (cursor)
  return { uuids, total: first?.total, withoutFilter: first?.withoutFilter ?? [] }
}

test.each(alone)('%j lists what matches, in every order, and counts it', async (match) => {
  for (const sort of transactionSorts) {
    const expected = reference(match, sort)
    const { uuids, total } = await listed(match, sort, 60)
    expect(uuids, sort).toEqual(expected)
    expect(total).toEqual({ count: expected.length, exact: true })
  }
})

test('each filter matches some and leaves some out, so that these tests say something', () => {
  for (const match of alone) {
    const { length } = reference(match, 'started')
    if (match.step !== 'none like this') expect(length, JSON.stringify(match)).toBeGreaterThan(5)
    expect(length).toBeLessThan(all.length - 5)
  }
})

test('each two filters together list what matches both', async () => {
  for (const [at, one] of alone.entries())
    for (const other of alone.slice(at + 1)) {
      const match = { ...one, ...other }
      if (Object.keys(match).length < Object.keys(one).length + Object.keys(other).length) continue
      const expected = reference(match, 'started')
      const { uuids, total } = await listed(match, 'started', 200)
      expect(uuids, JSON.stringify(match)).toEqual(expected)
      expect(total, JSON.stringify(match)).toEqual({ count: expected.length, exact: true })
    }
}, 60_000)

test('nothing is passed over or listed twice, however few are gone through at once', async () => {
  const match = fc
    .subarray([...alone], { minLength: 1, maxLength: 3 })
    .map((several): TransactionMatch => Object.assign({}, ...several))
  const reach = fc.record({
    most: fc.integer({ min: 5, max: 60 }),
    withoutFilter: fc.constant(30),
  })
  await fc.assert(
    fc.asyncProperty(
      match,
      reach,
      fc.constantFrom(...transactionSorts),
      fc.integer({ min: 3, max: 40 }),
      async (wanted, how, sort, limit) => {
        const expected = reference(wanted, sort)
        const { uuids, total } = await listed(wanted, sort, limit, how)
        expect(uuids).toEqual(expected)
        if (total?.exact) expect(total.count).toBe(expected.length)
        else expect(total?.count).toBeLessThanOrEqual(expected.length)
      },
    ),
    { numRuns: 20 },
  )
}, 60_000)

test('a page that stops looking says how far it has looked, and where to go on', async () => {
  const reach = { most: 4, withoutFilter: 4 }
  const page = await listTransactions(support, { reason: 'A_NEW_REASON', currency: 'GBP' }, reach)
  expect(page.next).not.toBeNull()
  expect(Date.parse(page.scannedTo ?? '')).toBeGreaterThan(hour - 201 * 3_600_000)
  expect(page.total).toMatchObject({ exact: false, atLeast: true })
})

test('an empty list says without which filter there is something', async () => {
  const nothing = { step: 'FAILED', userUuid: ana, flags: ['stuck'] } as const
  const { uuids, withoutFilter } = await listed(nothing, 'started', 50)
  expect(uuids).toEqual([])
  const countOf = (match: TransactionMatch) => reference(match, 'started').length
  expect(withoutFilter).toEqual(
    [
      { part: 'step', count: countOf({ userUuid: ana, flags: ['stuck'] }) },
      { part: 'user', count: countOf({ step: 'FAILED', flags: ['stuck'] }) },
      { part: 'flags:stuck', count: countOf({ step: 'FAILED', userUuid: ana }) },
    ].flatMap(({ part, count }) => (count > 0 ? [{ part, total: { count, exact: true } }] : [])),
  )
  expect(withoutFilter.length).toBeGreaterThan(1)
})

test('an empty list counts without each filter in few statements, however many filters there are', async () => {
  const nothing: TransactionMatch = {
    currency: 'USDT',
    chain: 'base',
    amountFrom: '1000',
    flags: ['late', 'order-unsure'],
  }
  const asked = vi.spyOn(poolByIndex(), 'query')
  const { rows, withoutFilter } = await listTransactions(support, nothing)
  expect(rows).toEqual([])
  // One statement reads the page and one counts it.
  expect(asked.mock.calls.length - 2).toBe(1)
  asked.mockRestore()
  expect(withoutFilter).toEqual(
    partsOf(nothing).flatMap(({ part, rest }) => {
      const count = reference(rest, 'started').length
      return count > 0 ? [{ part, total: { count, exact: true } }] : []
    }),
  )
  expect(withoutFilter.map(({ part }) => part)).toEqual(['amount'])
})

test('every transaction that matches is read for a file, newest first', async () => {
  const match: TransactionMatch = { currency: 'EUR', flags: ['late'] }
  const read: string[] = []
  for await (const rows of everyTransaction(support, match, 7)) read.push(...rows.map(({ uuid }) => uuid))
  expect(read).toEqual(reference(match, 'started'))
})

test('the choices are those of late, without reasons that only repeat the step', async () => {
  expect(await listFilterChoices(support)).toEqual({
    reasons: ['A_NEW_REASON', 'ON_HOLD_KYC', 'ON_HOLD_PROCESS', 'OUTSIDE_TRANSFER_IN_REVIEW'],
    currencies: ['EUR', 'GBP', 'USDC', 'USDT'],
    chains: ['base', 'polygon'],
  })
})

test('the person of a filter has a name for those who may know it', async () => {
  expect(await nameUser(support, ana)).toBe('ana@demo.test')
  expect(await nameUser(callerWith('auditor'), ana)).toBe('a•••@demo.test')
  expect(await nameUser(support, crypto.randomUUID())).toBeNull()
})
