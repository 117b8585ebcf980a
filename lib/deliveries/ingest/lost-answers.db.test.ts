import crypto from 'node:crypto'
import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addReceiver, startIngestServer } from '../../../test/ingest.ts'
import { countWaiting, createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { storeLimits } from './store.ts'

/** Each server takes another for dead that has not signed for so long. */
const presence = { signEveryMs: 500, deadAfterMs: 2_000 }

let database: TestDatabase
let server: Awaited<ReturnType<typeof startIngestServer>>

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startIngestServer(database.url, { presence })
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})

async function deliver(): Promise<string> {
  const { id, authorization } = await addReceiver(server.pool)
  const response = await fetch(server.url(id), { method: 'POST', headers: { authorization }, body: '{}' })
  return (await response.json()).delivery
}

const lost = async () => (await server.pool.query('SELECT delivery_id, cause FROM answer_lost')).rows

test('a sender that disconnects before its body is read has no effect', async () => {
  const { id, authorization } = await addReceiver(server.pool)
  const hold = await server.pool.connect()
  await hold.query('BEGIN; LOCK TABLE receiver IN ACCESS EXCLUSIVE MODE')
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write(
    `POST /api/webhooks/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\n`,
  )
  await expect.poll(() => countWaiting(server.pool)).toBe(1)
  socket.destroy()
  await hold.query('COMMIT')
  hold.release()
  await deliver()
  const { rows } = await server.pool.query('SELECT FROM delivery WHERE receiver_id = $1', [id])
  expect(rows).toEqual([])
})

test('a sender that disconnects before the answer is recorded, and its delivery is folded again', async () => {
  const { id, authorization } = await addReceiver(server.pool)
  const hold = await server.pool.connect()
  await hold.query('BEGIN; LOCK TABLE delivery_pending IN SHARE MODE')
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write(
    `POST /api/webhooks/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\n{}`,
  )
  await expect.poll(() => countWaiting(server.pool)).toBe(1)
  socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 50))
  await hold.query('COMMIT')
  hold.release()
  await expect.poll(lost).toMatchObject([{ cause: 'connection-closed' }])
  await server.pool.query('DELETE FROM answer_lost')
})

test('an answer that waited behind an earlier one when the connection closed is recorded', async () => {
  const notified = new Set<string>()
  const unsubscribe = server.listener.subscribe('receiver', (id) => void notified.add(id))
  const slow = await addReceiver(server.pool)
  const known = await addReceiver(server.pool)
  // The notification of a new receiver would make the server forget what is cached below.
  await expect.poll(() => notified.has(known.id)).toBe(true)
  unsubscribe()
  const post = ({ id, authorization }: typeof known) =>
    `POST /api/webhooks/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\n{}`
  const headers = { authorization: known.authorization }
  await fetch(server.url(known.id), { method: 'POST', headers, body: '{}' })
  const hold = await server.pool.connect()
  await hold.query('BEGIN; LOCK TABLE receiver IN ACCESS EXCLUSIVE MODE')
  try {
    const socket = net.connect(server.port, '127.0.0.1')
    // Two requests arrive at once on one connection, and the answers leave in the same order.
    socket.write(post(slow) + post(known))
    const ofKnown = async () =>
      (await server.pool.query('SELECT id FROM delivery WHERE receiver_id = $1 ORDER BY id', [known.id])).rows
    await expect.poll(ofKnown).toHaveLength(2)
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.destroy()
    await expect.poll(lost).toEqual([{ delivery_id: (await ofKnown())[1]?.id, cause: 'connection-closed' }])
  } finally {
    await hold.query('COMMIT')
    hold.release()
  }
  await server.pool.query('DELETE FROM answer_lost')
})

test('a delivery with a slow body is recorded, since its sender may have stopped waiting', async () => {
  const slow = await startIngestServer(database.url, { presence })
  const { id, authorization } = await addReceiver(slow.pool)
  const hold = await server.pool.connect()
  await hold.query('BEGIN; LOCK TABLE receiver IN ACCESS EXCLUSIVE MODE')
  const socket = net.connect(slow.port, '127.0.0.1')
  const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
  socket.write(
    `POST /api/webhooks/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\n{`,
  )
  // The server measures the time from before it reads the receiver.
  await expect.poll(() => countWaiting(server.pool), { interval: 5 }).toBe(1)
  await hold.query('COMMIT')
  hold.release()
  await new Promise((resolve) => setTimeout(resolve, storeLimits.answerMs + 50))
  socket.write('}')
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
  await expect.poll(lost).toMatchObject([{ cause: 'answered-late' }])
  await slow.stop()
  await server.pool.query('DELETE FROM answer_lost')
})

test('a delivery whose answer arrived is not recorded', async () => {
  await deliver()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await lost()).toEqual([])
})

test('answers in the last seconds of a process that died are unsure', async () => {
  const id = await deliver()
  const old = await deliver()
  await server.pool.query(
    `UPDATE delivery SET received_at = received_at - interval '30 seconds' WHERE id = $1`,
    [old],
  )
  await server.pool.query('DELETE FROM delivery_pending')
  await server.pool.query(
    `INSERT INTO lease VALUES ('ingest:dead', $1, 0, clock_timestamp() - interval '1 ms')`,
    [crypto.randomUUID()],
  )
  await expect.poll(lost, { timeout: 25_000 }).toContainEqual({ delivery_id: id, cause: 'process-died' })
  expect((await lost()).map((row) => row.delivery_id)).not.toContain(old)
  const pending = await server.pool.query('SELECT delivery_id FROM delivery_pending')
  expect(pending.rows).toContainEqual({ delivery_id: id })
})

test('an orderly stop leaves no answer unsure', async () => {
  await server.pool.query(`DELETE FROM lease WHERE name = 'ingest:dead'`)
  const other = await startIngestServer(database.url)
  const { id, authorization } = await addReceiver(other.pool)
  await fetch(other.url(id), { method: 'POST', headers: { authorization }, body: '{}' })
  const present = async () =>
    (await server.pool.query(`SELECT name FROM lease WHERE name LIKE 'ingest:%'`)).rows
  expect(await present()).toHaveLength(2)
  await other.stop()
  expect(await present()).toHaveLength(1)
})
