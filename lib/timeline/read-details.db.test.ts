import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { readDetails } from './subject-details.ts'

const subject = `transaction:${crypto.randomUUID()}`
const [eventId, seen, neverSeen] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO event (subject_id, id, fingerprint, position, deliveries, first_received_at, last_received_at, envelope, flags)
     VALUES ($1, $2, '', 0, 3, now(), now(), '', '{}')`,
    [subject, eventId],
  )
  for (const [seq, endpointUuid] of [seen, neverSeen, null].entries()) {
    const receiverId = crypto.randomUUID()
    await pool().query(`INSERT INTO receiver (id, endpoint_uuid, state) VALUES ($1, $2, 'active')`, [
      receiverId,
      endpointUuid,
    ])
    await pool().query(
      `INSERT INTO event_delivery (subject_id, delivery_id, event_id, seq, received_at, receiver_id, answer, reason)
       VALUES ($1, gen_random_uuid(), $2, $3, now(), $4, 'sure', '{"kind":"first"}')`,
      [subject, eventId, seq, receiverId],
    )
  }
  await pool().query(
    `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status) VALUES ($1, gen_random_uuid(), 'Payments', 'active')`,
    [seen],
  )
})
afterAll(() => database.stop())

test('a delivery names the endpoint that it came through, for roles that see endpoints', async () => {
  const [event] = await readDetails('support', subject)
  expect(event?.received.map(({ endpointUuid, endpointName }) => [endpointUuid, endpointName])).toEqual([
    [seen, 'Payments'],
    [neverSeen, null],
    [null, null],
  ])
  const [hidden] = await readDetails('compliance', subject)
  expect(hidden?.received).toHaveLength(3)
  for (const delivery of hidden?.received ?? [])
    expect(delivery).toMatchObject({ endpointUuid: null, endpointName: null })
})
