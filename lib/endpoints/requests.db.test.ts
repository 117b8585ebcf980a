import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { listEndpointHistory } from '#lib/audit/list-audit.ts'
import { mostOfAMinute } from '#lib/deliveries/rules/refusal-reasons.ts'
import { firstUuidv7, uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { admin, createElsewhere, createHere, reason } from '../../test/endpoints.ts'
import type { startIngestServer } from '../../test/ingest.ts'
import type { TestService } from '../../test/service.ts'
import { startServiceAndIngest } from '../../test/service-and-ingest.ts'
import { control, forgetAll, refuse, set, take, watch } from '../../test/watched.ts'
import { listStates } from './endpoint-states.ts'
import { findEndpoint } from './endpoints.ts'
import { listRequests } from './list-requests.ts'
import { readTraffic } from './read-traffic.ts'
import { readMissed } from './replays/new-replay.ts'

let service: TestService
let ingest: Awaited<ReturnType<typeof startIngestServer>>
beforeAll(async () => {
  ;({ service, ingest } = await startServiceAndIngest())
})
afterAll(async () => {
  await ingest.stop()
  await service.stop()
})
beforeEach(async () => {
  await forgetAll()
  await pool().query('TRUNCATE answered_request, endpoint_state')
})

const support = callerWith('support')

/** This request was refused `secondsAgo`. */
const refuseOne = (receiverId: string, why: string, secondsAgo: number) =>
  pool().query('INSERT INTO answered_request (id, receiver_id, why, ms) VALUES ($1, $2, $3, 12)', [
    uuidv7Of(new Date(Date.now() - secondsAgo * 1000)),
    receiverId,
    why,
  ])

it('lists accepted and refused requests in one order, by answer, page by page', async () => {
  const { endpointUuid, receiverId } = await createHere()
  for (const ago of [50, 30, 10]) await take(receiverId, ago)
  for (const ago of [40, 20]) await refuseOne(receiverId, 'wrong-secret', ago)
  const before = Date.now()
  await refuseOne(receiverId, 'database', 5)
  const after = Date.now()
  await refuseOne(crypto.randomUUID(), 'database', 4)
  const all = await listRequests(support, endpointUuid)
  expect(all.rows.map(({ status, why, ms }) => [status, why, ms])).toEqual([
    [503, 'database', 12],
    [200, null, null],
    [401, 'wrong-secret', 12],
    [200, null, null],
    [401, 'wrong-secret', 12],
    [200, null, null],
  ])
  expect(all.next).toBe(null)
  const statuses = async (answer: string) =>
    (await listRequests(support, endpointUuid, { answer })).rows.map(({ status }) => status)
  expect(await statuses('taken')).toEqual([200, 200, 200])
  expect(await statuses('refused')).toEqual([503, 401, 401])
  expect(await statuses('wrong-secret')).toEqual([401, 401])
  const first = await listRequests(support, endpointUuid, { limit: 4 })
  const second = await listRequests(support, endpointUuid, { limit: 4, before: first.next ?? undefined })
  expect([...first.rows, ...second.rows]).toEqual(all.rows)
  const at = Date.parse(all.rows[0]?.at ?? '') + 5_000
  expect(at).toBeGreaterThanOrEqual(before)
  expect(at).toBeLessThanOrEqual(after)
})

it('lists real deliveries with their milliseconds, and refused ones without their secret or body', async () => {
  const { endpointUuid, receiverId } = await createHere()
  await service.control('/events', { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} })
  const statuses = async () => (await listRequests(admin, endpointUuid)).rows.map(({ status }) => status)
  await expect.poll(statuses).toEqual([200])
  await fetch(ingest.url(receiverId), {
    method: 'POST',
    headers: { authorization: 'API-Key not-this-one' },
    body: '{"private":"not-this-body"}',
  })
  await expect.poll(statuses).toEqual([401, 200])
  const { rows } = await listRequests(admin, endpointUuid)
  await expect
    .poll(async () => (await listRequests(admin, endpointUuid)).rows.every(({ ms }) => ms !== null))
    .toBe(true)
  expect(JSON.stringify(rows)).not.toMatch(/not-this/)
})

it('leaves out requests older than a week, and shows nothing to roles that may not see endpoints', async () => {
  const { endpointUuid, receiverId } = await createHere()
  await take(receiverId, 8 * 86_400)
  await refuseOne(receiverId, 'database', 8 * 86_400)
  expect((await listRequests(support, endpointUuid)).rows).toEqual([])
  for (const read of [listRequests, readTraffic, listStates, listEndpointHistory])
    await expect(read(callerWith('compliance'), endpointUuid)).rejects.toThrow(NotAllowed)
})

it('counts each hour, and shows when refused deliveries come again', async () => {
  const { endpointUuid, receiverId } = await createHere()
  await take(receiverId, 40 * 3600)
  await take(receiverId, 1)
  await refuse(receiverId, 'database', 2 * 3600)
  const before = Date.now()
  await refuseOne(receiverId, 'database', 20)
  await refuseOne(receiverId, 'database', 17)
  const after = Date.now()
  // A stranger's call is never retried.
  await refuseOne(receiverId, 'wrong-secret', 10)
  const { hours, reasons, retries } = await readTraffic(support, endpointUuid)
  expect(hours).toHaveLength(48)
  expect(hours.reduce((sum, { taken }) => sum + taken, 0)).toBe(2)
  expect(hours.reduce((sum, { refused }) => sum + refused, 0)).toBe(10)
  expect(reasons).toEqual([{ why: 'database', count: 10 }])
  expect(retries).toEqual([{ at: expect.any(String), deliveries: 1 }])
  expect(Date.parse(retries[0]?.at ?? '') - before).toBeGreaterThan(40_000)
  expect(Date.parse(retries[0]?.at ?? '') - after).toBeLessThan(50_000)
})

it('shows its count as a minimum when a minute refused as many as are listed', async () => {
  const { endpointUuid, receiverId } = await createHere()
  const lastMinute = (Date.now() % 60_000) / 1000 + 30
  for (let n = 0; n < mostOfAMinute - 1; n += 1) await refuseOne(receiverId, 'database', lastMinute + n / 10)
  expect((await readTraffic(support, endpointUuid)).atLeast).toBe(false)
  await refuseOne(receiverId, 'database', lastMinute + 10)
  expect((await readTraffic(support, endpointUuid)).atLeast).toBe(true)
})

it('counts a delivery that was accepted just now, however many were accepted before', async () => {
  const { endpointUuid, receiverId } = await createHere()
  await refuseOne(receiverId, 'database', 30 * 60)
  await pool().query(
    `INSERT INTO delivery (id, receiver_id, received_at, body)
     SELECT overlay($2::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, $1::uuid, now(), '' FROM generate_series(1, 5000) n`,
    [receiverId, firstUuidv7(Date.now() - 20 * 60_000)],
  )
  // The retry was due after 3 s and was accepted.
  await refuseOne(receiverId, 'database', 8)
  await take(receiverId, 5)
  expect((await readTraffic(support, endpointUuid)).retries).toEqual([])
})

it.each([
  ['the answer to whose creation is lost', 'UPDATE receiver SET endpoint_uuid = NULL WHERE id = $1'],
  ['that this database lost', 'DELETE FROM receiver WHERE id = $1'],
])(
  'shows what arrived at a receiver %s, once the endpoint was seen to deliver there',
  async (_which, lose) => {
    const { endpointUuid, receiverId } = await createHere()
    await watch()
    await pool().query(lose, [receiverId])
    await take(receiverId, 60)
    await refuse(receiverId, 'unknown-receiver', 50)
    await refuseOne(receiverId, 'unknown-receiver', 50)
    await refuseOne(receiverId, 'database', 10)
    const { rows } = await listRequests(support, endpointUuid)
    expect(rows.map(({ why }) => why)).toEqual(['database', 'unknown-receiver', null])
    const { hours, reasons, retries } = await readTraffic(support, endpointUuid)
    expect(hours.reduce((sum, { taken }) => sum + taken, 0)).toBe(1)
    expect(reasons).toEqual([{ why: 'unknown-receiver', count: 10 }])
    expect(retries).toHaveLength(1)
  },
)

it('shows since when an endpoint is off, before the next look has seen it', async () => {
  const { endpointUuid } = await createElsewhere({ subscribedEvents: ['KYC'] })
  await watch()
  const [active] = await listStates(support, endpointUuid)
  await control(`/endpoints/${endpointUuid}/auto-disable`)
  const seen = await findEndpoint(admin, endpointUuid)
  expect(seen).toMatchObject({ status: 'auto_disabled', statusSince: { after: active?.by } })
})

it('shows since when an endpoint elsewhere is off, and what it missed meanwhile', async () => {
  const { endpointUuid } = await createElsewhere({ subscribedEvents: ['KYC'] })
  const { receiverId } = await createHere()
  await watch()
  const before = new Date().toISOString()
  await set(endpointUuid, 'disabled')
  await watch()
  const [off] = await listStates(support, endpointUuid)
  expect(off).toMatchObject({ status: 'disabled', until: null })
  expect((off?.after ?? '') <= before && before <= (off?.by ?? '')).toBe(true)
  const seen = await findEndpoint(admin, endpointUuid)
  expect(seen?.statusSince).toEqual({ after: off?.after, by: off?.by })

  await pool().query(
    `WITH made AS (
       INSERT INTO delivery (id, receiver_id, body) SELECT id, $1, '' FROM unnest($2::uuid[]) AS given (id) RETURNING id
     ), folded AS (
       INSERT INTO event (subject_id, id, fingerprint, type, position, deliveries, first_received_at, last_received_at, flags)
       SELECT 'entity:1', first, '', type, 0, 1, now(), now(), '{}' FROM unnest($3::uuid[], $4::text[]) AS e (first, type)
     )
     INSERT INTO event_delivery (subject_id, delivery_id, event_id, seq, received_at, receiver_id, answer, reason)
     SELECT 'entity:1', id, event, 1, now(), $1, 'sure', '{}' FROM unnest($2::uuid[], $5::uuid[]) AS d (id, event)`,
    missedRows(receiverId),
  )
  const from = off?.after ?? ''
  const missed = await readMissed(
    admin,
    { url: 'https://merchant.example', subscribedEvents: ['KYC'] },
    { from, until: null },
  )
  expect(missed).toMatchObject({
    count: 1,
    tooMany: false,
    sent: null,
    filter: { type: 'KYC', first: 'yes', from },
  })
  const every = await readMissed(
    admin,
    { url: 'https://merchant.example', subscribedEvents: null },
    { from, until: null },
  )
  expect(every.count).toBe(2)
  await expect(
    readMissed(support, { url: 'https://merchant.example', subscribedEvents: null }, { from, until: null }),
  ).rejects.toThrow(NotAllowed)

  await set(endpointUuid, 'active')
  await watch()
  const states = await listStates(support, endpointUuid)
  expect(states.map(({ status }) => status)).toEqual(['active', 'disabled', 'active'])
  expect(states[1]?.until).toBe(states[0]?.by)
})

/** Two deliveries have one event, a third has an event of another type. The result is a row for a statement. */
function missedRows(receiverId: string) {
  const [first, again, other] = [1, 2, 3].map((ahead) => firstUuidv7(Date.now() + ahead))
  return [receiverId, [first, again, other], [first, other], ['KYC', 'AML'], [first, first, other]]
}

it('lists every change made here with its person and reason, and hides both from support', async () => {
  const { endpointUuid } = await createElsewhere()
  await set(endpointUuid, 'disabled')
  const history = await listEndpointHistory(admin, endpointUuid)
  expect(history.map(({ action, outcome, by }) => [action, outcome, by?.reason])).toEqual([
    ['endpoint.set-status', 'done', reason],
    ['endpoint.create', 'done', reason],
  ])
  expect(history[0]?.by?.name).toBe(admin.id)
  expect(history[0]?.changes).toEqual([{ name: 'status', before: 'active', after: 'disabled' }])
  const shown = await listEndpointHistory(support, endpointUuid)
  expect(shown.map(({ by }) => by)).toEqual([null, null])
  expect(JSON.stringify(shown)).not.toContain(reason)
})
