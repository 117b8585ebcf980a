import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { getSubject } from '#lib/timeline/subject-details.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { callerWith } from '../../test/callers.ts'
import { makeLists } from '../../test/lists/make-lists.ts'
import { plansOf, rowsReadBy } from '../../test/plans.ts'
import { createEmptyDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { vacuumWhole } from '../../test/vacuum.ts'
import { findSubjects } from './find-subjects.ts'

// Every statement of a search is explained, on lists that are large enough for the planner to use an index.
const support = callerWith('support')
const shared = '0xthewalletofthemerchant'
let database: TestDatabase
let some: TransactionView
let iban: string

beforeAll(async () => {
  database = await createEmptyDatabase()
  await makeLists(database.url, 60_000)
  configure({ DATABASE_URL: database.url })
  // Half of all transactions carry this id, like a merchant's own wallet.
  await pool().query(
    `INSERT INTO identifier SELECT subject_id, $1, started_at FROM transaction WHERE get_byte(sha256(uuid::bytea), 0) < 128`,
    [shared],
  )
  await vacuumWhole('identifier')
  const { rows } = await listTransactions(support, { direction: 'fiatToCrypto', step: 'SUCCESS', limit: 1 })
  if (!rows[0]) throw new Error('no transaction')
  some = rows[0]
  iban = await someIban()
})
afterAll(async () => {
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
})

const byValue = 'identifier_value_started_at_idx'
const byEnd = 'identifier_reverse_value_idx'
const byTerm = 'person_term_pkey'
const byEmail = 'person_email_key_idx'
/** Results are read and explained by these keys. */
const byKey = [
  'transaction_pkey',
  'event_pkey',
  'event_id_idx',
  'identifier_subject_id_idx',
  'person_customer_number_key_idx',
]
const byAmount = ['transaction_direction_amount_idx', 'transaction_amount_refunded_idx']

test.each([
  ['a whole id', () => some.uuid, [byTerm, byValue]],
  ['a hash', () => some.transactionHash ?? '', [byValue]],
  ['a user', () => some.userUuid ?? '', [byTerm, byValue]],
  ['an e-mail', () => some.userEmail ?? '', [byEmail, byValue]],
  ['what half of all carry', () => shared, [byValue]],
  ['the beginning of an id', () => `${some.uuid.slice(0, 8)}…`, [byValue]],
  ['the beginning of a hash', () => some.transactionHash?.slice(0, 8) ?? '', [byValue]],
  ['the beginning of what half of all carry', () => `${shared.slice(0, 9)}…`, [byValue]],
  ['head and tail', () => shortId(some.uuid), [byValue]],
  ['a tail', () => `…${some.uuid.slice(-5)}`, [byEnd, byValue]],
  ['a whole IBAN', () => iban, [byValue]],
  ['four characters', () => '2bcd', [byEnd, byValue]],
  ['the beginning of an e-mail', () => some.userEmail?.slice(0, 7) ?? '', [byTerm, byEnd, byValue]],
])(
  'a search by %s goes by the indexes of ids, and sorts no more than it merges',
  async (_, text, expected) => {
    const nodes = await plansOf(() => findSubjects(support, text()))
    const used = new Set(
      nodes.flatMap(({ index }) => (index === undefined || byKey.includes(index) ? [] : [index])),
    )
    expect(used).toEqual(new Set(expected))
  },
)

test.each([
  ['in fiat money', () => `${some.amountFiat} EUR`, byAmount],
  [
    'of coins',
    () => `${some.amountCrypto} USDC`,
    ['transaction_amount_crypto_idx', 'transaction_amount_refunded_idx'],
  ],
  [
    'on a day',
    () => `${some.amountFiat} ${some.startedAt.slice(0, 10)}`,
    [...byAmount, 'transaction_amount_crypto_idx'],
  ],
])('a search by an amount %s goes by the indexes of amounts', async (_, text, expected) => {
  const nodes = await plansOf(() => findSubjects(support, text()))
  const used = new Set(nodes.flatMap(({ index }) => index ?? []))
  for (const index of expected) expect(used).toContain(index)
})

test('filters hold against the newest of an id', async () => {
  const nodes = await plansOf(() => findSubjects(support, shared, { step: 'ON_HOLD' }), 6_000)
  const used = new Set(nodes.flatMap(({ index }) => index ?? []))
  expect(used).toContain(byValue)
})

test('what may have been meant is looked for by the indexes of ids', async () => {
  const typed = `${some.uuid.slice(0, 35)}${some.uuid.endsWith('0') ? '1' : '0'}`
  expect((await findSubjects(support, typed)).near).toMatchObject([{ value: some.uuid }])
  await plansOf(() => findSubjects(support, typed))
})

test('what may have been meant by an ending is looked for by the indexes of ids', async () => {
  const end = some.uuid.slice(-12)
  const typed = `${end.slice(0, 10)}${end[10] === '0' ? '1' : '0'}${end.slice(11)}`
  expect((await findSubjects(support, typed)).near).toMatchObject([{ value: some.uuid }])
  const nodes = await plansOf(() => findSubjects(support, typed))
  expect(nodes.some(({ index }) => index === byEnd)).toBe(true)
})

test.each([
  ['a user', () => some.userUuid ?? ''],
  ['what half of all carry', () => shared],
])('pages by %s are read on from where the one before ended', async (_, text) => {
  const { next } = await findSubjects(support, text(), { limit: 5 })
  const nodes = await plansOf(() => findSubjects(support, text(), { limit: 5, cursor: next ?? '' }))
  expect(nodes.some(({ index }) => index === byValue)).toBe(true)
})

test('with an id that half of all subjects carry, a page reads only its own rows', async () => {
  const page = () => findSubjects(support, shared, { limit: 20 })
  // The statement reads the rows of the page with all their ids, and the counted rows.
  expect(await rowsReadBy(page)).toBeLessThan(21 + 20 * 8 + 1_001 + 50)
})

test('an account with its timeline is read by its keys', async () => {
  const { rows } = await findSubjects(support, some.userUuid ?? '')
  const account = rows.find(({ subjectId }) => subjectId.startsWith('bank-account:'))?.subjectId ?? ''
  expect((await getSubject(support, account))?.events).toHaveLength(2)
  await plansOf(() => getSubject(support, account))
})

/** The IBAN is written as people type it. */
async function someIban() {
  const { rows } = await pool().query<{ value: string }>(
    `SELECT value FROM identifier WHERE subject_id = $1 AND value LIKE '=es%'`,
    [some.subjectId],
  )
  return rows[0]?.value.replaceAll('=', '') ?? ''
}
