import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { thirdRetryLatestSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { admin, browser, createElsewhere, createHere, reason } from '../../../test/endpoints.ts'
import { captureLog } from '../../../test/log.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { age, control, forgetAll, refuse, set, take, watch } from '../../../test/watched.ts'

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
    { why: 'service-unanswered', receiver_id: null, seconds: expect.closeTo(40, -1) },
    { why: 'service-unanswered', receiver_id: null, seconds: expect.closeTo(60, -1) },
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
    { why: 'switched-off', receiver_id: receiverId, seconds: expect.closeTo(300, -1) },
  ])
})

/** Three attempts at an event may have failed elsewhere (§6.8). */
const elsewhereBefore = { why: 'elsewhere', seconds: Math.round(thirdRetryLatestSeconds) }

it('records that attempts at an endpoint may have failed elsewhere before it was pointed here, once', async () => {
  const { endpointUuid } = await createElsewhere()
  await createHere({})
  await watch()
  expect(await outages()).toEqual([])
  await changeEndpoint(admin, { to: 'here', endpointUuid, subscribedEvents: ['KYC'], reason }, browser)
  const { id: receiver_id } = await prisma().receiver.findFirstOrThrow({ where: { endpointUuid } })
  expect(await outages()).toMatchObject([{ ...elsewhereBefore, receiver_id }])
  await take(receiver_id, 0)
  await watch()
  expect(await outages()).toHaveLength(1)
  expect(await waiting()).toBe(1)
})

it.each<[string, (endpointUuid: string) => Promise<unknown>]>([
  ['made active here after it was pointed here', (endpointUuid) => set(endpointUuid, 'active')],
  [
    'made active by somebody else',
    (endpointUuid) => updateWebhookEndpoint(serviceClient(), endpointUuid, { status: 'active' }),
  ],
])('records the same of an endpoint that was %s', async (_how, activate) => {
  const { endpointUuid } = await createElsewhere()
  await updateWebhookEndpoint(serviceClient(), endpointUuid, { status: 'disabled' })
  await changeEndpoint(admin, { to: 'here', endpointUuid, subscribedEvents: ['KYC'], reason }, browser)
  await watch()
  expect(await outages()).toEqual([])
  await activate(endpointUuid)
  await watch()
  await watch()
  expect(await outages()).toMatchObject([elsewhereBefore])
})

it('queues nothing of other receivers, and nothing of weeks ago, when a quiet endpoint was switched off', async () => {
  const day = 86_400
  const { endpointUuid, receiverId } = await createHere({})
  const { receiverId: another } = await createHere({ description: 'Another' })
  await age(receiverId, 50 * day)
  await watch()
  await take(receiverId, 40 * day)
  for (const ago of [39 * day, day, 3_600, 60]) await take(another, ago)
  await control(`/endpoints/${endpointUuid}/auto-disable`)
  await watch()
  expect(await outages()).toMatchObject([{ why: 'switched-off', receiver_id: receiverId }])
  expect(await waiting()).toBe(0)
})

it('finishes interrupted changes also when what a round learnt cannot be queued', async () => {
  const { endpointUuid, receiverId } = await createHere({})
  const { endpointUuid: gone, receiverId: itsReceiver } = await createHere({ description: 'Gone' })
  await watch()
  for (const id of [receiverId, itsReceiver]) await age(id, 3_600)
  await take(receiverId, 60)
  await fetch(`${service.baseUrl}/merchant/webhook-endpoints/${gone}`, {
    method: 'DELETE',
    headers: { authorization: service.apiKey },
  })
  await control(`/endpoints/${endpointUuid}/auto-disable`)
  await pool().query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a test'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON delivery_pending EXECUTE FUNCTION refuse()`)
  const logged = captureLog()
  await watch()
  expect(logged.text()).toContain('What new evidence concerns is not folded again')
  logged.stop()
  await pool().query('DROP FUNCTION refuse CASCADE')
  const { rows } = await pool().query('SELECT state FROM receiver WHERE id = $1', [itsReceiver])
  expect(rows).toEqual([{ state: 'closed' }])
  // The next round repeats what was not queued, once.
  expect(await waiting()).toBe(0)
  await watch()
  expect(await waiting()).toBe(1)
  await pool().query('TRUNCATE delivery_pending')
  await watch()
  expect(await waiting()).toBe(0)
})

it('has what came after the service had a wrong secret folded again, once, and nothing of another receiver', async () => {
  const { receiverId } = await createHere({})
  const { receiverId: another } = await createHere({ description: 'Another' })
  await watch()
  await age(receiverId, 200)
  await take(receiverId, 400)
  await take(receiverId, 60)
  await take(another, 60)
  await refuse(receiverId, 'wrong-secret', 300)
  await watch()
  expect(await waiting()).toBe(1)
  await pool().query('TRUNCATE delivery_pending')
  await watch()
  expect(await waiting()).toBe(0)
})

it('folds again what came after wrong secrets once they turn out to be a stranger’s', async () => {
  const { receiverId } = await createHere({})
  await age(receiverId, 36_000)
  await take(receiverId, 7_200)
  await refuse(receiverId, 'wrong-secret', 1_200)
  await watch()
  await pool().query('TRUNCATE delivery_pending')
  await take(receiverId, 10)
  await watch()
  expect((await pool().query('SELECT outcome FROM gap')).rows).toEqual([{ outcome: 'no-gap' }])
  expect(await waiting()).toBe(1)
})

it('folds again what came after wrong secrets that a rotation here shows to be the service’s', async () => {
  const { receiverId, endpointUuid } = await createHere({})
  await age(receiverId, 36_000)
  await take(receiverId, 600)
  await refuse(receiverId, 'wrong-secret', 300)
  await watch()
  expect((await pool().query('SELECT FROM gap')).rowCount).toBe(0)
  await rotateSecret(admin, { endpointUuid, reason }, browser)
  await take(receiverId, 0)
  await watch()
  expect((await pool().query('SELECT kind, outcome FROM gap')).rows).toEqual([
    { kind: 'refused', outcome: null },
  ])
  expect(await waiting()).toBe(1)
})
