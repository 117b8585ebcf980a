import crypto from 'node:crypto'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { insertDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { shardCount, shardHash, subjectId } from '#lib/deliveries/rules/subject.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { readDelivery } from './bodies.ts'
import { startProjector } from './projector.ts'

let database: TestDatabase
let pool: pg.Pool
let receiverId: string

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  receiverId = (await addReceiver(pool)).id
})
afterEach(() => pool.query('DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM lease'))
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const store = (body: string) =>
  insertDeliveries(pool, [{ id: uuidv7(), receiverId, body: Buffer.from(body) }], 5_000)

const step = (transaction: string) =>
  `{"type":"fiatToCrypto","subType":"PENDING","data":{ "transactionUuid" : "${transaction}"}}`

/** The body also names a transaction that is not its subject, so that its hint is that of another. */
const misleading = (uuid: string, status: string) =>
  JSON.stringify({
    type: 'KYC',
    uuid,
    data: { about: { transactionUuid: crypto.randomUUID() }, status },
  })

const hashOf = (body: string) => shardHash(subjectId(readDelivery(Buffer.from(body)).subject))

const storedShards = async () =>
  (await pool.query<{ shard: number | null }>('SELECT shard FROM delivery_pending')).rows.map(
    ({ shard }) => shard,
  )

test.each([
  ['as it is usually written', step(crypto.randomUUID())],
  ['in capitals', step(crypto.randomUUID().toUpperCase())],
])('a delivery of a transaction %s is stored with the shard of its subject', async (_how, body) => {
  await store(body)
  expect(await storedShards()).toEqual([hashOf(body)])
})

test.each([
  ['of no transaction', '{"type":"KYC","uuid":"u-1","data":{"status":"FULL_USER"}}'],
  ['whose transaction has no uuid', step('t-1')],
  ['that is no JSON', 'no json'],
])('a delivery %s is stored without a shard', async (_what, body) => {
  await store(body)
  expect(await storedShards()).toEqual([null])
})

test('deliveries with a wrong shard are folded by the projector of their subject', async () => {
  const projectors = [
    await startProjector({ url: database.url }),
    await startProjector({ url: database.url }),
  ]
  const held = `SELECT count(*)::int AS shards FROM lease WHERE name LIKE 'projector:%' GROUP BY holder`
  await expect
    .poll(async () => (await pool.query(held)).rows)
    .toEqual([{ shards: shardCount / 2 }, { shards: shardCount / 2 }])
  const people = Array.from({ length: 20 }, () => crypto.randomUUID())
  for (const status of ['FIRST', 'SECOND']) for (const uuid of people) await store(misleading(uuid, status))
  await expect.poll(storedShards).toEqual([])
  for (const projector of projectors) await projector.stop()
  const { rows } = await pool.query(
    'SELECT subject_id AS id, array_agg(status ORDER BY position) AS statuses FROM event GROUP BY 1',
  )
  const expected = people.map((uuid) => ({ id: `entity:${uuid}`, statuses: ['FIRST', 'SECOND'] }))
  expect(new Set(rows)).toEqual(new Set(expected))
})
