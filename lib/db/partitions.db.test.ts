import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { ensureDeliveryPartitions, firstUuidv7 } from './partitions.ts'

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const now = new Date('2026-11-21T12:00:00Z')

const insert = (id: string) =>
  client.query(
    `INSERT INTO delivery (id, receiver_id, body) VALUES ($1, gen_random_uuid(), '') RETURNING tableoid::regclass::text AS partition`,
    [id],
  )

test('makes the last month to the next two, once, however many processes ask at the same time', async () => {
  const made = await Promise.all([1, 2, 3].map(() => ensureDeliveryPartitions(database.url, now)))
  expect(made.flat().toSorted()).toEqual([
    'delivery_2026_10',
    'delivery_2026_11',
    'delivery_2026_12',
    'delivery_2027_01',
  ])
  expect(await ensureDeliveryPartitions(database.url, now)).toEqual([])
})

test.each([
  ['2026-10-31T23:59:59.999Z', 'delivery_2026_10'],
  ['2026-11-01T00:00:00.000Z', 'delivery_2026_11'],
  ['2027-01-31T23:59:59.999Z', 'delivery_2027_01'],
  ['2027-02-01T00:00:00.000Z', 'delivery_default'],
])('a delivery of %s goes to %s', async (time, partition) => {
  expect((await insert(firstUuidv7(Date.parse(time)))).rows).toEqual([{ partition }])
})

test('leaves a month alone whose deliveries already lie in the default partition', async () => {
  expect(await ensureDeliveryPartitions(database.url, new Date('2026-12-01T00:00:00Z'))).toEqual([])
})
