import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { CursorRefused, NotAllowed } from '#lib/platform/refusals.ts'
import { listEvents } from '#lib/timeline/list-events.ts'
import { getEvent } from '#lib/timeline/subject-details.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../test/folding.ts'
import { addReceiver } from '../../test/ingest.ts'
import { getTransaction, readTransactions } from './get-transaction.ts'
import { listTransactions } from './list-transactions.ts'
import { type TransactionSort, transactionSorts } from './rules/transaction-filters.ts'

const ana = '11111111-1111-4111-8111-111111111111'
const ben = '22222222-2222-4222-8222-222222222222'
const uuids = Array.from({ length: 30 }, () => crypto.randomUUID())
const hash = `0x${'ab12'.repeat(16)}`

let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(`INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test')`, [
    ana,
    'ana@demo.test',
  ])
  const { id: receiverId } = await addReceiver(pool())
  const day = Date.UTC(2026, 10, 20)
  await appendPastDeliveries(
    uuids.flatMap((uuid, index) =>
      (index % 3 === 0 ? ['PENDING'] : ['PENDING', 'SUCCESS']).map((subType, move) => ({
        receiverId,
        receivedAt: new Date(day + index * 60_000 + move * 1000),
        body: Buffer.from(
          JSON.stringify({
            type: index % 2 ? 'fiatToCrypto' : 'cryptoToFiat',
            subType,
            uuid: index < 10 ? ana.toUpperCase() : ben,
            data: {
              transactionUuid: uuid,
              amountFiat: index,
              currencyFiat: 'EUR',
              ...(index === 5 ? { transactionHash: hash, senderDetails: { senderName: 'Ana' } } : {}),
            },
          }),
        ),
      })),
    ),
  )
  await foldWaiting(await takeAllShards(pool()))
})
afterAll(() => database.stop())

const support = callerWith('support')

test('pages through all transactions, newest first, each once', async () => {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await listTransactions(support, { limit: 7, cursor })
    expect(page.total).toEqual({ count: 30, exact: true })
    seen.push(...page.rows.map(({ uuid }) => uuid))
    cursor = page.next ?? undefined
  } while (cursor)
  expect(seen).toEqual(uuids.toReversed())
})

test('pages by last move as well', async () => {
  const first = await listTransactions(support, { limit: 20, sort: 'moved' })
  const rest = await listTransactions(support, { limit: 20, sort: 'moved', cursor: first.next ?? undefined })
  const moves = [...first.rows, ...rest.rows].map(({ lastMoveAt }) => lastMoveAt)
  expect(moves).toHaveLength(30)
  expect(moves).toEqual(moves.toSorted().reverse())
})

test('filters by direction, step and user, and knows the e-mail', async () => {
  const page = await listTransactions(support, { direction: 'fiatToCrypto', step: 'SUCCESS', userUuid: ana })
  expect(page.rows.map(({ uuid }) => uuid)).toEqual([uuids[7], uuids[5], uuids[1]])
  expect(page.rows[0]).toMatchObject({ userEmail: 'ana@demo.test', amountFiat: '7', stuck: false })
  const waiting = await listTransactions(support, { step: 'PENDING' })
  expect(waiting.rows).toHaveLength(10)
  expect(waiting.rows.every(({ stuck }) => stuck)).toBe(true)
})

test.each(transactionSorts)(
  'pages by %s, each once, though values are equal and rows are added',
  async (sort) => {
    await pool().query(
      'UPDATE transaction SET last_move_at = now(), amount_fiat = NULL WHERE uuid = ANY($1)',
      [uuids.slice(3, 12)],
    )
    const whole = await listTransactions(support, { sort, limit: 200 })
    const added = crypto.randomUUID()
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page = await listTransactions(support, { sort, limit: 4, cursor })
      paged.push(...page.rows.map(({ uuid }) => uuid))
      if (cursor === undefined) await addOnTop(added)
      cursor = page.next ?? undefined
    } while (cursor)
    expect(paged).toEqual(whole.rows.map(({ uuid }) => uuid))
    expect(new Set(paged).size).toBe(30)
    expect((await listTransactions(support, { sort, limit: 1 })).rows[0]?.uuid).toBe(added)
    await pool().query('DELETE FROM transaction WHERE uuid = $1', [added])
  },
)

const order: Record<TransactionSort, string> = {
  started: 'started_at DESC',
  moved: 'last_move_at DESC',
  amount: `COALESCE(amount_fiat, '-Infinity') DESC, started_at DESC`,
}

test.each(transactionSorts)(
  'the list by %s, merged from its directions, equals one that is sorted at once',
  async (sort) => {
    const added = 'merged-'
    await pool().query(
      `INSERT INTO transaction (subject_id, uuid, direction, step, details, flags, amount_fiat, started_at, last_move_at)
     SELECT 'transaction:' || $1 || n, $1 || n, (ARRAY['fiatToCrypto', 'cryptoToFiat', NULL])[1 + n % 3],
       (ARRAY['PENDING', 'SUCCESS', 'REFUNDED', 'A_NEW_STEP', 'ON_HOLD', '', NULL])[1 + n / 4 % 7], '{}', '{}',
       CASE WHEN n % 3 > 0 THEN n * 7919 % 40 END, now() + n * 7907 % 50 * interval '1 s', now() + n * 7901 % 50 * interval '1 s'
     FROM generate_series(1, 400) AS n`,
      [added],
    )
    const filters = [undefined, 'fiatToCrypto', 'cryptoToFiat'] as const
    for (const direction of filters)
      for (const step of [undefined, 'PENDING', 'SUCCESS', 'A_NEW_STEP', 'none like this']) {
        const { rows: expected } = await pool().query<{ uuid: string }>(
          `SELECT uuid FROM transaction WHERE ($1::text IS NULL OR direction = $1) AND ($2::text IS NULL OR step = $2)
           ORDER BY ${order[sort]}, subject_id DESC`,
          [direction ?? null, step ?? null],
        )
        const paged: string[] = []
        let cursor: string | undefined
        do {
          const page = await listTransactions(support, { direction, step, sort, cursor, limit: 23 })
          expect(page.total).toEqual({ count: expected.length, exact: true })
          paged.push(...page.rows.map(({ uuid }) => uuid))
          cursor = page.next ?? undefined
        } while (cursor)
        expect(paged).toEqual(expected.map(({ uuid }) => uuid))
      }
    await pool().query('DELETE FROM transaction WHERE starts_with(uuid, $1)', [added])
  },
)

test('lists by amount as a number, those without one last', async () => {
  const { rows } = await listTransactions(support, { sort: 'amount' })
  const amounts = rows.map(({ amountFiat }) => amountFiat)
  expect(amounts.slice(0, 3)).toEqual(['29', '28', '27'])
  expect(amounts.slice(-10)).toEqual(['0', ...Array.from({ length: 9 }, () => null)])
})

const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const someTime = '2026-11-20T00:00:00.000Z'

test.each([
  '',
  'x',
  '{}',
  'bnVsbA',
  cursorOf('started', someTime),
  cursorOf('started', '2026-02-30T00:00:00.000Z', 'transaction:1'),
  cursorOf('started', '0000-01-01T00:00:00.000Z', 'transaction:1'),
  cursorOf('started', someTime, 'transaction:\0'),
  cursorOf('moved', someTime, 'transaction:1'),
  cursorOf('started', 1, 'transaction:1'),
  cursorOf('amount', '1', someTime, 'transaction:1'),
  `${cursorOf('started', someTime, 'transaction:1')}=`,
])('refuses a cursor that is none, or of another order (number %#)', async (cursor) => {
  await expect(listTransactions(support, { cursor })).rejects.toThrow(CursorRefused)
})

test('refuses an invalid cursor of the timeline', async () => {
  for (const place of ['', 'x', crypto.randomUUID().toUpperCase()])
    await expect(listEvents(support, { before: place })).rejects.toThrow(CursorRefused)
})

test('a transaction comes with its timeline, bodies and deliveries', async () => {
  const found = await getTransaction(support, (uuids[5] ?? '').toUpperCase())
  expect(found).toMatchObject({ uuid: uuids[5], step: 'SUCCESS', parties: { sender: { name: 'Ana' } } })
  expect(found?.events.map(({ subType }) => subType)).toEqual(['PENDING', 'SUCCESS'])
  expect(JSON.parse(found?.events[0]?.body ?? '')).toMatchObject({ subType: 'PENDING' })
  expect(found?.events[0]?.received).toMatchObject([{ answer: 'sure', reason: { kind: 'first' } }])
})

test('events come newest first, page by page', async () => {
  const all = await listEvents(support, { limit: 200 })
  expect(all.rows).toHaveLength(50)
  const first = await listEvents(support, { limit: 20 })
  const second = await listEvents(support, { limit: 40, before: first.older ?? undefined })
  expect([...first.rows, ...second.rows]).toEqual(all.rows)
  expect(second.older).toBeNull()
  expect(all.newest).toBe(all.rows[0]?.id)
  expect((await listEvents(support, { type: 'KYC' })).rows).toEqual([])
})

test('the lists of everybody are for staff', async () => {
  const person = callerWith('end-user', { userUuid: ana })
  await expect(listTransactions(person)).rejects.toThrow(NotAllowed)
  await expect(getTransaction(person, uuids[3] ?? '')).rejects.toThrow(NotAllowed)
  await expect(listEvents(person)).rejects.toThrow(NotAllowed)
  await expect(getEvent(person, crypto.randomUUID())).rejects.toThrow(NotAllowed)
})

const addOnTop = (uuid: string) =>
  pool().query(
    `INSERT INTO transaction (subject_id, uuid, details, flags, amount_fiat, started_at, last_move_at)
     VALUES ($1, $2, '{}', '{}', 1000, now() + interval '1 s', now() + interval '1 s')`,
    [`transaction:${uuid}`, uuid],
  )

test('named transactions are read as they are now, by staff alone', async () => {
  const [first = '', second = ''] = uuids
  const read = await readTransactions(support, { uuids: [second, first, crypto.randomUUID()] })
  expect(read.map(({ uuid, step }) => [uuid, step]).toSorted()).toEqual(
    [
      [first, 'PENDING'],
      [second, 'SUCCESS'],
    ].toSorted(),
  )
  expect(read.map(({ userEmail }) => userEmail)).toEqual(['ana@demo.test', 'ana@demo.test'])
  const [masked] = await readTransactions(callerWith('auditor'), { uuids: [first] })
  expect(masked?.userEmail).toBe('a•••@demo.test')
  await expect(readTransactions(callerWith('end-user'), { uuids: [first] })).rejects.toThrow(NotAllowed)
})
