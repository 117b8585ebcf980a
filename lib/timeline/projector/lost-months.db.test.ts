import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { attachMonth, createMonth, type DeliveryMonth, deliveryMonth } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { acceptLoss, findLostMonths, noteLostMonths, readNotedMonths } from './lost-months.ts'

let database: TestDatabase
let pool: pg.Pool
let receiverId: string
const start = new Date()
const [oldest, older] = [deliveryMonth(start, -5), deliveryMonth(start, -4)]

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  receiverId = (await addReceiver(pool)).id
})
beforeEach(async () => {
  for (const month of [oldest, older])
    await pool.query(createMonth(month, month.name) + attachMonth(month, month.name, 'delivery'))
  await append(oldest, 3)
  await append(older, 400)
})
afterEach(() =>
  pool.query(`DROP TABLE IF EXISTS ${oldest.name}, ${older.name}; DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM lease;
    DELETE FROM event; DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM identifier; DELETE FROM setting`),
)
afterAll(async () => {
  await pool.end()
  await database.drop()
})

let said = 0

async function append(month: DeliveryMonth, many: number) {
  const from = Number.parseInt(month.from.replace('-', '').slice(0, 12), 16)
  await appendPastDeliveries(
    Array.from({ length: many }, (_, n) => ({
      receivedAt: new Date(from + 86_400_000 + n * 1_000),
      receiverId,
      body: Buffer.from(
        JSON.stringify({ type: 'KYC', uuid: `u-${n % 7}`, data: { status: 'FULL_USER', n: said++ } }),
      ),
    })),
    pool,
  )
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  await work.leases.release()
}

const lost = async () => (await findLostMonths(pool)).map(({ name, state }) => [name, state])

test('a log with all its months lacks none, and neither does one whose rows were deleted', async () => {
  expect(await lost()).toEqual([])
  await pool.query(`DELETE FROM ${oldest.name}`)
  await pool.query(`DROP TABLE ${oldest.name}`)
  expect(await lost()).toEqual([])
})

test.each([
  ['DROP TABLE', () => `DROP TABLE ${older.name}`, 'gone'],
  ['DETACH', () => `ALTER TABLE delivery DETACH PARTITION ${older.name}`, 'detached'],
  ['TRUNCATE', () => `TRUNCATE ${older.name}`, 'emptied'],
  [
    'TRUNCATE of what was left after some rows were deleted',
    () =>
      `DELETE FROM ${older.name} WHERE id IN (SELECT id FROM ${older.name} ORDER BY id LIMIT 250); TRUNCATE ${older.name}`,
    'emptied',
  ],
] as const)('%s is noticed', async (_, sql, state) => {
  await pool.query(sql())
  expect(await lost()).toEqual([[older.name, state]])
})

test('is noticed too when deliveries came to the month afterwards', async () => {
  await pool.query(`TRUNCATE ${older.name}`)
  await append(older, 300)
  expect(await lost()).toEqual([[older.name, 'emptied']])
})

test('is noticed no more once the month is back, or its loss was accepted', async () => {
  await pool.query(`ALTER TABLE delivery DETACH PARTITION ${older.name}; TRUNCATE ${oldest.name}`)
  await noteLostMonths(pool)
  expect((await readNotedMonths(pool)).map(({ name }) => name)).toEqual([oldest.name, older.name])
  await pool.query(attachMonth(older, older.name, 'delivery'))
  expect(await acceptLoss(pool, oldest)).toBe(3)
  expect(await acceptLoss(pool, older)).toBe(0)
  expect(await noteLostMonths(pool)).toEqual([])
  expect(await readNotedMonths(pool)).toEqual([])
})

test('all events of a month are marked, however many there are', async () => {
  await append(older, 1_000)
  await pool.query(`DROP TABLE ${older.name}`)
  expect(await acceptLoss(pool, older)).toBe(1_400)
  expect(await lost()).toEqual([])
})
