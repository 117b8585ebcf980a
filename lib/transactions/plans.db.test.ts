import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { closePoolByIndex } from '#lib/platform/db/read-pools.ts'
import type { EventFilters } from '#lib/timeline/event-view.ts'
import { listEvents } from '#lib/timeline/list-events.ts'
import { getEvent } from '#lib/timeline/subject-details.ts'
import { callerWith } from '../../test/callers.ts'
import { makeLists } from '../../test/lists/make-lists.ts'
import { plansOf, rowsReadBy } from '../../test/plans.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { vacuumWhole } from '../../test/vacuum.ts'
import { listFilterChoices } from './filters.ts'
import { getTransaction, readNeighbours } from './get-transaction.ts'
import { listTransactions } from './list-transactions.ts'
import { type TransactionMatch, type TransactionSort, transactionSorts } from './rules/transaction-filters.ts'
import type { TransactionView } from './transaction-view.ts'

// Every statement of the use cases is explained, on lists that are large enough for the planner to use an index.
const support = callerWith('support')
let database: TestDatabase
let some: TransactionView
let eventId: string

beforeAll(async () => {
  database = await createTestDatabase()
  await makeLists(database.url, 60_000)
  configure({ DATABASE_URL: database.url })
  const { rows } = await listTransactions(support, { direction: 'fiatToCrypto', step: 'SUCCESS', limit: 1 })
  if (!rows[0]) throw new Error('no transaction')
  some = rows[0]
  eventId = (await listEvents(support, { limit: 1 })).rows[0]?.id ?? ''
})
afterAll(async () => {
  await closePoolByIndex()
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
})

const inOrder: Record<TransactionSort, readonly string[]> = {
  started: ['transaction_direction_started_at_idx', 'transaction_direction_step_started_at_idx'],
  moved: ['transaction_direction_last_move_at_idx', 'transaction_direction_step_last_move_at_idx'],
  amount: ['transaction_direction_amount_idx', 'transaction_direction_step_amount_idx'],
}
const everyOrder = Object.values(inOrder).flat()

test.each(
  transactionSorts.flatMap((sort) =>
    [
      {},
      { direction: 'cryptoToFiat' as const },
      { step: 'LIMIT_BREACHED' },
      { step: 'no such step' },
      { direction: 'cryptoToFiat' as const, step: 'SUCCESS' },
      { direction: 'fiatToCrypto' as const, step: 'LIMIT_BREACHED' },
    ].map((filters) => ({ sort, filters })),
  ),
)('transactions by $sort, with $filters, are merged in the order of an index', async ({ sort, filters }) => {
  const { next } = await listTransactions(support, { ...filters, sort, limit: 2 })
  for (const cursor of next === null ? [undefined] : [undefined, next]) {
    const nodes = await plansOf(() => listTransactions(support, { ...filters, sort, cursor, limit: 7 }))
    const used = nodes.flatMap(({ index }) => index ?? [])
    expect(everyOrder).toEqual(expect.arrayContaining(used))
    expect(used.filter((index) => inOrder[sort].includes(index)).length).toBeGreaterThanOrEqual(1)
    for (const { type } of nodes) expect(type).not.toMatch(/Bitmap|Hash/)
  }
})

const scanned: readonly TransactionMatch[] = [
  { reason: 'ON_HOLD_KYC' },
  { reason: 'none like this' },
  { currency: 'EUR' },
  { currency: 'XXX', chain: 'polygon' },
  { amountFrom: '100', amountTo: '101' },
  { currency: 'USDC', amountFrom: '100' },
  { startedFrom: Date.UTC(2026, 8, 1, 1), startedTo: Date.UTC(2026, 8, 1, 2) },
  { flags: ['stuck'] },
  { flags: ['late', 'order-unsure'] },
]

test.each(transactionSorts.flatMap((sort) => scanned.map((match) => ({ sort, match }))))(
  'transactions by $sort, scanned for $match, are read in the order of an index',
  async ({ sort, match }) => {
    const { next } = await listTransactions(support, { ...match, sort, limit: 2 })
    for (const cursor of next === null ? [undefined] : [undefined, next]) {
      const nodes = await plansOf(() => listTransactions(support, { ...match, sort, cursor, limit: 7 }))
      const used = new Set(nodes.flatMap(({ index }) => index ?? []))
      expect([...everyOrder, 'transaction_pkey']).toEqual(expect.arrayContaining([...used]))
      expect(inOrder[sort].some((index) => used.has(index))).toBe(true)
      for (const { type } of nodes) expect(type).not.toMatch(/Bitmap|Hash/)
    }
  },
)

test('a filter that matches nothing reads no more than it may', async () => {
  const reach = { most: 50, withoutFilter: 20 }
  const read = await rowsReadBy(() => listTransactions(support, { currency: 'XXX' }, reach))
  // The page and its count read at most so many of each direction; the count without the filter stops at 1,001.
  expect(read).toBeLessThanOrEqual(3 * 2 * 51 + 1_001)
})

test('conflicts go by their own index', async () => {
  const nodes = await plansOf(() => listTransactions(support, { flags: ['conflict'] }))
  const used = nodes.flatMap(({ index }) => index ?? [])
  expect(used).toContain('transaction_conflict_idx')
})

test('the choices of filters are read by an index', async () => {
  const nodes = await plansOf(() => listFilterChoices(support))
  expect(nodes.some(({ index }) => inOrder.started.includes(index ?? ''))).toBe(true)
})

test.each(transactionSorts.flatMap((sort) => [undefined, 'SUCCESS'].map((step) => ({ sort, step }))))(
  'a user has an index, whatever the order ($sort) and step ($step)',
  async ({ sort, step }) => {
    const filters = { userUuid: some.userUuid ?? '', sort, step }
    const { next } = await listTransactions(support, { ...filters, limit: 2 })
    for (const cursor of [undefined, next ?? undefined]) {
      const nodes = await plansOf(() => listTransactions(support, { ...filters, cursor }))
      const used = nodes.flatMap(({ index }) => index ?? [])
      expect(new Set(used)).toEqual(new Set(['transaction_user_uuid_started_at_idx']))
    }
  },
)

const scansOfOrder = /^(Limit|Aggregate|Subquery Scan|Merge Append|Index Scan|Index Only Scan)$/

test.each([
  ['all', () => ({}), 'event_id_idx'],
  ['of a type', () => ({ type: 'cryptoToFiat' }), 'event_type_id_idx'],
  ['of a type that there is not', () => ({ type: 'KYC' }), 'event_type_id_idx'],
  ['older', () => ({ before: eventId }), 'event_id_idx'],
  ['of a type, older', () => ({ type: 'cryptoToFiat', before: eventId }), 'event_type_id_idx'],
])('events, %s, go by their index and are not sorted', async (_, given, index) => {
  // The first call asks if the index of repeated events exists.
  await listEvents(support, given())
  const plans = await plansOf(() => listEvents(support, given()))
  // The amounts beside the events are read by the primary keys of their transactions.
  const nodes = plans.filter(({ index, table }) => table !== 'transaction' && index !== 'transaction_pkey')
  for (const { type } of nodes) expect(type).toMatch(scansOfOrder)
  expect(new Set(nodes.flatMap((node) => node.index ?? []))).toEqual(
    new Set([index, 'event_came_again_id_idx']),
  )
})

test.each<[string, EventFilters, string]>([
  ['of a step', { step: 'SUCCESS' }, 'event_id_idx'],
  ['of a type and a step', { type: 'cryptoToFiat', step: 'SUCCESS' }, 'event_type_id_idx'],
  ['with a flag', { flag: 'late' }, 'event_id_idx'],
  ['through an endpoint', { endpointUuid: crypto.randomUUID() }, 'event_id_idx'],
])('events %s are looked for in the order of an index, so far and no further', async (_, filters, index) => {
  const plans = await plansOf(() => listEvents(support, filters, 100))
  const used = new Set(plans.flatMap((node) => (node.table === 'event' ? (node.index ?? []) : [])))
  expect(used).toEqual(new Set(['event_id_idx', index, 'event_came_again_id_idx']))
  // The plan reads the scanned rows, as many again up to the edge, and for each row the values that the filter needs.
  expect(await rowsReadBy(() => listEvents(support, filters, 100))).toBeLessThan(400)
})

test('what stands beside a transaction is read by the index of the list, at its ends too', async () => {
  const [first, second, third] = (await listTransactions(support, { limit: 3 })).rows
  if (!first || !second || !third) throw new Error('too few')
  const nodes = await plansOf(() => readNeighbours(support, second))
  const used = nodes.flatMap(({ index }) => index ?? [])
  // Each direction is read on either side.
  expect(used.filter((index) => inOrder.started.includes(index))).toHaveLength(6)
  expect(inOrder.started).toEqual(expect.arrayContaining(used))
  for (const { type } of nodes) expect(type).not.toMatch(/Bitmap|Hash/)
  expect(await readNeighbours(support, second)).toEqual({ newer: first.uuid, older: third.uuid })
  expect(await readNeighbours(support, first)).toEqual({ newer: null, older: second.uuid })
})

test.each([
  ['a transaction with its timeline', () => getTransaction(support, some.uuid)],
  ['an event', () => getEvent(support, eventId)],
])('%s is read by its keys', async (_, read) => {
  const nodes = await plansOf(read)
  expect(nodes.some(({ index }) => index !== undefined)).toBe(true)
})

test.each(['moved', 'amount'] as const)(
  'those of a user with many, by %s, are found and counted by their own index',
  async (sort) => {
    const userUuid = 'a user with a tenth of all'
    await pool().query(`UPDATE transaction SET user_uuid = $1 WHERE get_byte(sha256(uuid::bytea), 0) < 26`, [
      userUuid,
    ])
    await vacuumWhole('transaction')
    const nodes = await plansOf(() => listTransactions(support, { userUuid, sort }), 4_000)
    const used = new Set(nodes.flatMap(({ index }) => index ?? []))
    expect(used).toEqual(new Set(['transaction_user_uuid_started_at_idx']))
  },
)
