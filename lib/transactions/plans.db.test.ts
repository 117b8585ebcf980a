import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/db/pool.ts'
import { type TransactionSort, transactionSorts } from '#lib/domain/transaction-sort.ts'
import { getEvent } from '#lib/events/get-event.ts'
import { listEvents } from '#lib/events/list-events.ts'
import { makeLists } from '../../bench/lists/make-lists.ts'
import { callerWith } from '../../test/callers.ts'
import { plansOf } from '../../test/plans.ts'
import { createEmptyDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { getTransaction } from './get-transaction.ts'
import { listTransactions } from './list-transactions.ts'
import type { TransactionFilters, TransactionRow } from './transaction-row.ts'

// Every statement that the use cases send is explained, on lists large enough for the planner to want an index.
const support = callerWith('support')
let database: TestDatabase
let some: TransactionRow
let eventId: string

beforeAll(async () => {
  database = await createEmptyDatabase()
  await makeLists(database.url, 60_000)
  configure({ DATABASE_URL: database.url })
  const { rows } = await listTransactions(support, { direction: 'fiatToCrypto', step: 'SUCCESS', limit: 1 })
  if (!rows[0]) throw new Error('no transaction')
  some = rows[0]
  eventId = (await listEvents(support, { limit: 1 })).rows[0]?.id ?? ''
})
afterAll(async () => {
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
})

const inOrder = {
  started: 'started_at_subject_id_idx',
  moved: 'last_move_at_subject_id_idx',
  amount: 'amount_idx',
} satisfies Record<TransactionSort, string>

/** With the columns that lead the index. Few rows may as well be sorted, once an index has found them. */
const filters: [filters: () => TransactionFilters, leading: string[], match: 'many' | 'few'][] = [
  [() => ({}), [''], 'many'],
  [() => ({ direction: 'cryptoToFiat' }), ['direction_'], 'many'],
  [
    () => ({ direction: 'cryptoToFiat', step: 'SUCCESS' }),
    ['direction_', 'step_', 'direction_step_', ''],
    'many',
  ],
  [() => ({ userUuid: some.userUuid ?? '' }), ['user_uuid_'], 'few'],
  [() => ({ step: 'SUCCESS', userUuid: some.userUuid ?? '' }), ['user_uuid_'], 'few'],
  [() => ({ step: 'LIMIT_BREACHED' }), ['step_'], 'few'],
  [() => ({ step: 'no such step' }), ['step_'], 'few'],
  [() => ({ direction: 'fiatToCrypto', step: 'LIMIT_BREACHED' }), ['step_', 'direction_step_'], 'few'],
]

test.each(
  transactionSorts.flatMap((sort) =>
    filters.map(([given, leading, match], number) => ({ sort, given, leading, match, number })),
  ),
)('transactions by $sort, with filters $number, of which $match match, go by an index', async (each) => {
  const { sort, given, leading, match } = each
  const names = match === 'many' ? [inOrder[sort]] : Object.values(inOrder)
  const expected = leading.flatMap((column) => names.map((name) => `transaction_${column}${name}`))
  const { next } = await listTransactions(support, { ...given(), sort, limit: 2 })
  for (const cursor of next === null ? [undefined] : [undefined, next]) {
    const nodes = await plansOf(() => listTransactions(support, { ...given(), sort, cursor }))
    expect(nodes.some(({ index }) => index !== undefined)).toBe(true)
    for (const { type, index } of nodes) {
      if (match === 'many') expect(type).toMatch(scansOfOrder)
      if (index !== undefined) expect(expected).toContain(index)
    }
  }
})

test('by amount, direction and step have an index together: many steps tell no amount and come last', async () => {
  const given = { direction: 'cryptoToFiat', step: 'REFUNDED', sort: 'amount' } as const
  const nodes = await plansOf(() => listTransactions(support, given))
  const used = new Set(nodes.flatMap(({ index }) => index ?? []))
  expect(used).toEqual(new Set(['transaction_direction_step_amount_idx']))
})

const scansOfOrder = /^(Limit|Aggregate|Subquery Scan|Index Scan|Index Only Scan)$/

test.each([
  ['all', () => ({}), 'event_id_idx'],
  ['of a type', () => ({ type: 'cryptoToFiat' }), 'event_type_id_idx'],
  ['of a type that there is not', () => ({ type: 'KYC' }), 'event_type_id_idx'],
  ['older', () => ({ before: eventId }), 'event_id_idx'],
  ['of a type, newer', () => ({ type: 'cryptoToFiat', after: eventId }), 'event_type_id_idx'],
])('events, %s, go by their index and are not sorted', async (_, given, index) => {
  for (const node of await plansOf(() => listEvents(support, given()))) {
    expect(node.type).toMatch(scansOfOrder)
    if (node.index) expect(node.index).toBe(index)
  }
})

test.each([
  ['a transaction with its timeline', () => getTransaction(support, some.uuid)],
  ['an event', () => getEvent(support, eventId)],
])('%s is read by its keys', async (_, read) => {
  const nodes = await plansOf(read)
  expect(nodes.some(({ index }) => index !== undefined)).toBe(true)
})

test.each(['moved', 'amount'] as const)(
  'those of a user with many, by %s, are counted by their own index',
  async (sort) => {
    const userUuid = 'a user with a tenth of all'
    await pool().query(`UPDATE transaction SET user_uuid = $1 WHERE get_byte(sha256(uuid::bytea), 0) < 26`, [
      userUuid,
    ])
    await pool().query('VACUUM ANALYZE transaction')
    const used = (await plansOf(() => listTransactions(support, { userUuid, sort }))).map(
      ({ index }) => index,
    )
    expect(used).toContain('transaction_user_uuid_started_at_subject_id_idx')
  },
)
