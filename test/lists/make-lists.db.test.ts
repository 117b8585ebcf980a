import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { foldWaiting, takeAllShards } from '../folding.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../postgres.ts'
import { makeLists } from './make-lists.ts'

const events = 2_000
let generated: TestDatabase
let projected: TestDatabase

beforeAll(async () => {
  generated = await createEmptyDatabase()
  projected = await createTestDatabase()
  await makeLists(generated.url, events)
  await project()
})
afterAll(async () => {
  for (const database of [generated, projected]) await database?.drop()
})

// Only the fold writes flags and reasons. Without a log, an event keeps its body. Each writer of counts has a slot.
test.each([
  ['transaction', 'subject_id', []],
  ['event', 'id', ['flags', 'envelope']],
  ['event_delivery', 'delivery_id', ['reason']],
  ['standing', 'subject_id, type', []],
  ['identifier', 'subject_id, value', []],
  ['transaction_count', 'at, sort, direction, step, currency, pace', ['slot']],
  ['standing_count', 'type, state, currency', ['slot']],
])('makes the rows of %s that the projector makes of the same deliveries', async (table, key, unlike) => {
  // A projector leaves counts of zero behind.
  const counts = table.endsWith('_count')
  const all = `SELECT * FROM ${table} ${counts ? 'WHERE count <> 0' : ''} ORDER BY ${key}`
  const rows = await rowsOf(generated, all)
  const expected = await rowsOf(projected, all)
  const without = (row: object) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !unlike.some((each) => each === name)))
  expect(rows.length).toBeGreaterThanOrEqual(counts ? 4 : events / 50)
  expect(rows.map(without)).toEqual(expected.map(without))
})

test('leaves the database with all of its indexes', async () => {
  const indexes = 'SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexdef'
  expect(await rowsOf(generated, indexes)).toEqual(await rowsOf(projected, indexes))
})

/** The function stores the events as deliveries in the other database and folds them. */
async function project() {
  const log = await rowsOf(
    generated,
    `SELECT d.delivery_id AS id, d.seq::text, d.receiver_id, d.received_at, encode(e.envelope, 'hex') AS body
     FROM event_delivery d JOIN event e ON e.subject_id = d.subject_id AND e.id = d.event_id`,
  )
  const pool = openPool(projected.url)
  await pool.query(
    `INSERT INTO delivery (id, seq, receiver_id, received_at, body)
     SELECT id, seq, receiver_id, received_at, decode(body, 'hex') FROM json_to_recordset($1::json)
       AS d (id uuid, seq bigint, receiver_id uuid, received_at timestamptz, body text)`,
    [JSON.stringify(log)],
  )
  await pool.query('INSERT INTO delivery_pending (delivery_id) SELECT id FROM delivery')
  await foldWaiting(await takeAllShards(pool))
  await pool.end()
}

async function rowsOf(database: TestDatabase, sql: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<object>(sql)
  await client.end()
  return rows
}
