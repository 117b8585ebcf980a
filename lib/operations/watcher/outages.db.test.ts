import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { createHere } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { control, forgetAll, take, watch } from '../../../test/watched.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  await forgetAll()
  await pool().query('TRUNCATE outage, delivery_pending')
})

const outages = async () =>
  (
    await pool().query<{ why: string; receiver_id: string | null; ago: number; seconds: number }>(
      `SELECT why, receiver_id, extract(epoch FROM now() - ended_at)::float8 AS ago,
         extract(epoch FROM ended_at - began_at)::int AS seconds
       FROM outage ORDER BY began_at`,
    )
  ).rows

const waiting = async () =>
  (await pool().query<{ count: number }>('SELECT count(*)::int AS count FROM delivery_pending')).rows[0]
    ?.count

/** The last round was so many seconds ago. */
const checkedAgo = (seconds: number) =>
  pool().query(
    `UPDATE setting SET value = jsonb_set(value, '{lookedAt}', to_jsonb($1::text)) WHERE key = 'service-state'`,
    [new Date(Date.now() - seconds * 1_000).toISOString()],
  )

it('records an outage while the service did not answer, except for times in which deliveries came', async () => {
  const { receiverId } = await createHere({})
  await watch()
  await checkedAgo(100)
  await take(receiverId, 60)
  service.answerWith(503, () => true, 2)
  await watch()
  expect(await outages()).toMatchObject([
    { why: 'service-unanswered', receiver_id: null, seconds: 40 },
    { why: 'service-unanswered', receiver_id: null, seconds: expect.toBeOneOf([60, 61]) },
  ])
  // Deliveries of that time were folded without this evidence.
  expect(await waiting()).toBe(1)
})

it('records no outage while the service answers, or when no round ran for long', async () => {
  await createHere({})
  await watch()
  await checkedAgo(60)
  await watch()
  await checkedAgo(3_600)
  service.answerWith(503, () => true, 2)
  await watch()
  expect(await outages()).toEqual([])
})

it('records the time from the last delivery until its endpoint was seen as disabled', async () => {
  const { endpointUuid, receiverId } = await createHere({})
  await createHere({ description: 'Another' })
  await watch()
  await take(receiverId, 300)
  await control(`/endpoints/${endpointUuid}/auto-disable`)
  await watch()
  await watch()
  expect(await outages()).toMatchObject([
    { why: 'switched-off', receiver_id: receiverId, seconds: expect.toBeOneOf([300, 301]) },
  ])
})
