import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { readDetails } from './subject-details.ts'

const subject = `transaction:${crypto.randomUUID()}`
const id = crypto.randomUUID()
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

test('reasons that older rules wrote are read before a rebuild has reached them', async () => {
  const stored = [
    { kind: 'happened-again', secondsAfter: 500, because: 'another-between' },
    { kind: 'ladder', secondsAfter: 66, from: 2, retries: 1 },
  ]
  await pool().query(
    `INSERT INTO event (subject_id, id, fingerprint, position, deliveries, first_received_at, last_received_at, envelope)
     VALUES ($1, $2, '', 0, 2, now(), now(), '')`,
    [subject, id],
  )
  for (const [order, reason] of stored.entries())
    await pool().query(
      `INSERT INTO event_delivery (subject_id, delivery_id, event_id, seq, received_at, receiver_id, answer, reason)
       VALUES ($1, gen_random_uuid(), $2, $3, now(), gen_random_uuid(), 'sure', $4)`,
      [subject, id, order, JSON.stringify(reason)],
    )
  const [event] = await readDetails('admin', subject)
  expect(event?.received.map(({ reason }) => reason)).toEqual([
    { kind: 'happened-again', secondsAfter: 500, because: 'other-event-between' },
    { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 },
  ])
})
