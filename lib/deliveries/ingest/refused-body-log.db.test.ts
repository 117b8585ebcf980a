import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver, startIngestServer } from '../../../test/ingest.ts'
import { countWaiting, createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'

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

test('late refusals cause later deliveries to be folded again, but no late wrong secrets', async () => {
  const server = await startIngestServer(database.url)
  const [receiver, wrong] = [await addReceiver(server.pool), await addReceiver(server.pool)]
  const elsewhere = await addReceiver(server.pool)
  const send = ({ id, authorization }: typeof receiver, body: string) =>
    fetch(server.url(id), { method: 'POST', headers: { authorization }, body })
  await pool.query('ALTER TABLE delivery RENAME TO delivery_away')
  for (const table of ['refusal', 'refused_body'])
    await pool.query(`ALTER TABLE ${table} RENAME TO ${table}_away`)
  expect((await send(receiver, '{"n":3}')).status).toBe(503)
  expect((await send({ ...wrong, authorization: 'API-Key wrong' }, '{"n":5}')).status).toBe(401)
  await pool.query('ALTER TABLE delivery_away RENAME TO delivery')
  expect((await send(wrong, '{"n":5}')).status).toBe(200)
  expect((await send(receiver, '{"n":3}')).status).toBe(200)
  expect((await send(elsewhere, '{"n":4}')).status).toBe(200)
  // The deletion makes both deliveries appear as folded.
  await pool.query('DELETE FROM delivery_pending')
  const waiting = async () => {
    const { rows } = await pool.query<{ receiver_id: string }>(
      // The first insert may have been tried again after its 503, and found its table.
      'SELECT DISTINCT receiver_id FROM delivery_pending JOIN delivery ON id = delivery_id',
    )
    return rows.map(({ receiver_id }) => receiver_id)
  }
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect(await waiting()).toEqual([])
  for (const table of ['refusal', 'refused_body']) {
    // The write of refusals reads this table, and then takes longer than the retry did.
    const hold = await pool.connect()
    await hold.query('BEGIN; LOCK TABLE watched_endpoint IN ACCESS EXCLUSIVE MODE')
    await pool.query(`ALTER TABLE ${table}_away RENAME TO ${table}`)
    if (table === 'refusal') {
      await expect.poll(() => countWaiting(pool)).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    await hold.query('COMMIT')
    hold.release()
    await expect.poll(waiting).toEqual([receiver.id])
    await pool.query('DELETE FROM delivery_pending')
  }
  await server.stop()
})
