import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/db/pool.ts'
import { addReceiver, startIngestServer } from '../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('keeps the digest of a body that was read and answered 503, and of none that was stored', async () => {
  const server = await startIngestServer(database.url)
  const receiver = await addReceiver(server.pool)
  const send = (body: string) =>
    fetch(server.url(receiver.id), {
      method: 'POST',
      headers: { authorization: receiver.authorization },
      body,
    })
  expect((await send('{"n":1}')).status).toBe(200)
  await pool.query('ALTER TABLE delivery RENAME TO delivery_away')
  expect((await send('{"n":2}')).status).toBe(503)
  await pool.query('ALTER TABLE delivery_away RENAME TO delivery')
  await server.stop()
  const { rows } = await pool.query('SELECT receiver_id, digest FROM refused_body')
  expect(rows).toEqual([{ receiver_id: receiver.id, digest: crypto.hash('sha256', '{"n":2}', 'buffer') }])
})
