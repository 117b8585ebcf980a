import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { addReceiver, startIngestServer } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { mostOfAMinute } from '../rules/refusal-reasons.ts'
import { openRequestLog } from './request-log.ts'

let database: TestDatabase
let server: Awaited<ReturnType<typeof startIngestServer>>
beforeAll(async () => {
  database = await createTestDatabase()
  server = await startIngestServer(database.url)
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})
beforeEach(() => server.pool.query('TRUNCATE answered_request'))

async function listed(receiverId: string) {
  const { rows } = await server.pool.query<{ id: string; why: string | null; ms: number }>(
    'SELECT id, why, ms FROM answered_request WHERE receiver_id = $1 ORDER BY id',
    [receiverId],
  )
  return rows
}

const post = (receiverId: string, authorization: string, body = '{"type":"KYC"}') =>
  fetch(server.url(receiverId), { method: 'POST', headers: { authorization }, body })

it('lists stored requests by their delivery id, and refused ones by reason, each with its milliseconds', async () => {
  const { id, authorization } = await addReceiver(server.pool)
  const taken = await (await post(id, authorization)).json()
  await post(id, 'API-Key wrong')
  await expect.poll(async () => (await listed(id)).length).toBe(2)
  expect(await listed(id)).toEqual([
    { id: taken.delivery, why: null, ms: expect.any(Number) },
    { id: expect.any(String), why: 'wrong-secret', ms: expect.any(Number) },
  ])
})

it('lists the first requests of each answer and minute, and none of receivers that do not exist', async () => {
  const { id } = await addReceiver(server.pool)
  const stranger = crypto.randomUUID()
  const log = openRequestLog(server.pool, (known) => known === id)
  for (let at = 0; at < 3 * mostOfAMinute; at += 1) {
    log.add({ id: null, receiverId: id, why: 'wrong-secret', ms: 1 })
    log.add({ id: null, receiverId: stranger, why: 'unknown-receiver', ms: 1 })
  }
  log.add({ id: null, receiverId: id, why: 'database', ms: 2_500.4 })
  await log.close()
  const rows = await listed(id)
  // A minute may have ended in between.
  expect(rows.filter(({ why }) => why === 'wrong-secret').length).toBeOneOf([
    mostOfAMinute,
    2 * mostOfAMinute,
  ])
  expect(rows.filter(({ why }) => why === 'database').map(({ ms }) => ms)).toEqual([2_500])
  expect(await listed(stranger)).toEqual([])
})

it('keeps unwritten requests until the database is back', async () => {
  const { id } = await addReceiver(server.pool)
  const log = openRequestLog(server.pool, () => true)
  await server.pool.query('ALTER TABLE answered_request RENAME TO away')
  try {
    log.add({ id: null, receiverId: id, why: 'database', ms: 1 })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
  } finally {
    await server.pool.query('ALTER TABLE away RENAME TO answered_request')
  }
  await log.close()
  expect(await listed(id)).toHaveLength(1)
})
