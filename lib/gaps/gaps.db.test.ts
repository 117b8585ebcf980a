import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NotAllowed, Refused } from '#lib/auth/refusals.ts'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { pool } from '#lib/db/pool.ts'
import { hourLength } from '#lib/domain/usual-pace.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { prepareAddress } from '#lib/endpoints/prepare-address.ts'
import { setStatus } from '#lib/endpoints/set-status.ts'
import { env } from '#lib/env.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startService, type TestService } from '../../test/service.ts'
import { closeGap } from './close-gap.ts'
import { getGap } from './get-gap.ts'
import { listGaps } from './list-gaps.ts'
import { everyOpenTransaction, openQuery } from './open-transactions.ts'
import { reopenGap } from './reopen-gap.ts'
import { endWatch, watchRound } from './watch-round.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ SANDBOX_AUTO_DISABLE_AFTER: '1' })
})
afterAll(() => service.stop())

const admin = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'
const holder = crypto.randomUUID()

const tables = 'gap, watched_endpoint, delivery_hour, refusal, receiver, delivery, transaction, lease'
beforeEach(async () => {
  await pool().query(`TRUNCATE ${tables}`)
  await control('/reset')
})

const watch = () => watchRound(pool(), holder)
const gaps = async () => (await listGaps(admin)).rows
const onlyGap = async () => {
  const [gap, ...others] = await gaps()
  expect(others).toEqual([])
  if (!gap) throw new Error('There is no gap')
  return gap
}

async function control(path: string, body: object = {}): Promise<unknown> {
  const answer = await fetch(`${env().sandboxUrl?.origin}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.status === 204 ? null : answer.json()
}

async function createHere(description = 'Here') {
  const { receiverId } = prepareAddress()
  const form = { to: 'here', receiverId, description, subscribedEvents: null } as const
  return { receiverId, ...(await createEndpoint(admin, form, browser)) }
}

const set = (endpointUuid: string, status: 'active' | 'disabled') =>
  setStatus(admin, { endpointUuid, status, reason }, browser)

/** A transaction as the projector leaves it; times in seconds before now. */
async function addTransaction(startedAgo: number, finishedAgo: number | null) {
  const uuid = crypto.randomUUID()
  const ago = (seconds: number | null) => (seconds === null ? null : new Date(Date.now() - seconds * 1000))
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, flags, started_at, last_move_at, finished_at)
     VALUES ($1, $2, '{}', $3, $3, $4)`,
    [`transaction:${uuid}`, uuid, ago(startedAgo), ago(finishedAgo)],
  )
  return uuid
}

describe('an endpoint', () => {
  it('that is disabled is a gap from when it was last active, for as long as it is', async () => {
    const { endpointUuid } = await createHere()
    await watch()
    expect(await gaps()).toEqual([])
    await set(endpointUuid, 'disabled')
    const before = Date.now()
    await watch()
    const gap = await onlyGap()
    expect(gap).toMatchObject({
      kind: 'disabled',
      endpoint: { uuid: endpointUuid, name: 'Here' },
      endedAt: null,
      closed: null,
    })
    expect(Date.parse(gap.beganAt)).toBeLessThanOrEqual(before)
    await watch()
    expect(await gaps()).toEqual([gap])
    await set(endpointUuid, 'active')
    await watch()
    const ended = await onlyGap()
    expect(ended).toMatchObject({ id: gap.id, beganAt: gap.beganAt, endedAt: expect.any(String) })
  })

  it('that the service switched off after its whole ladder is a gap of its own kind', async () => {
    const { endpointUuid } = await createHere()
    await watch()
    await control('/events', { type: 'KYC', subType: 'statusUpdate', uuid: crypto.randomUUID(), data: {} })
    await control('/clock/advance', { seconds: 19 * 3600 })
    await watch()
    expect(await onlyGap()).toMatchObject({
      kind: 'auto-disabled',
      endpoint: { uuid: endpointUuid },
      endedAt: null,
    })
  })

  it('that delivers elsewhere is no gap here', async () => {
    const form = { to: 'elsewhere', url: 'https://merchant.example/hook', description: 'There' } as const
    const { endpointUuid } = await createEndpoint(admin, { ...form, subscribedEvents: null }, browser)
    await set(endpointUuid, 'disabled')
    await watch()
    expect(await gaps()).toEqual([])
  })

  it('is left as it was while the service does not answer', async () => {
    const { endpointUuid } = await createHere()
    await set(endpointUuid, 'disabled')
    await watch()
    await set(endpointUuid, 'active')
    service.answerWith(503, (route) => route.startsWith('GET /merchant/webhook-endpoints'), 3)
    await watch()
    expect(await onlyGap()).toMatchObject({ endedAt: null })
  })
})

it('is looked after by one watcher at a time, and by another after its end', async () => {
  const { endpointUuid } = await createHere()
  await set(endpointUuid, 'disabled')
  expect(await watch()).toBe(true)
  const other = crypto.randomUUID()
  expect(await watchRound(pool(), other)).toBe(false)
  await endWatch(pool(), holder)
  expect(await watchRound(pool(), other)).toBe(true)
  expect(await watch()).toBe(false)
  expect(await gaps()).toHaveLength(1)
})

describe('refused deliveries', () => {
  const refuse = (receiverId: string, minutesAgo: number, count: number) =>
    pool().query(
      `INSERT INTO refusal (receiver_id, minute, why, count, last_at)
       SELECT $1, date_trunc('minute', at), 'wrong-secret', $3, at
       FROM (SELECT clock_timestamp() - $2 * interval '1 minute' AS at) AS moment`,
      [receiverId, minutesAgo, count],
    )

  it('are one gap as long as they go on, and another after a pause', async () => {
    const { receiverId, endpointUuid } = await createHere()
    for (const [ago, count] of [
      [200, 5],
      [190, 7],
      [3, 1],
    ] as const)
      await refuse(receiverId, ago, count)
    await watch()
    const [now, then] = await gaps()
    expect(now).toMatchObject({ kind: 'refused', endedAt: null, refused: 1, retries: null })
    expect(then).toMatchObject({ kind: 'refused', refused: 12, endpoint: { uuid: endpointUuid } })
    expect(Date.parse(then?.endedAt ?? '') - Date.parse(then?.beganAt ?? '')).toBeLessThan(12 * 60_000)
    expect(then?.retries).toEqual({ until: expect.any(String) })
    await watch()
    expect(await gaps()).toEqual([now, then])
    await refuse(receiverId, 1, 2)
    await watch()
    expect((await gaps()).map(({ refused }) => refused)).toEqual([3, 12])
  })
})

describe('silence', () => {
  /** A delivery so many minutes ago, and full hours of the last weeks that brought so many each. */
  async function silentFor(minutes: number, perHour: number, weeks: number) {
    const { receiverId } = await createHere()
    const at = Date.now() - minutes * 60_000
    const id = firstUuidv7(at).replace(/8000-.*/, `8000-${crypto.randomUUID().slice(24)}`)
    await pool().query('INSERT INTO delivery (id, receiver_id, received_at, body) VALUES ($1, $2, $3, $4)', [
      id,
      receiverId,
      new Date(at),
      Buffer.from('{}'),
    ])
    const present = Date.now() - (Date.now() % hourLength)
    const hours = Array.from(
      { length: weeks && weeks * 7 * 24 + 2 },
      (_, i) => new Date(present - (i + 1) * hourLength),
    )
    await pool().query('INSERT INTO delivery_hour SELECT unnest($1::timestamptz[]), $2', [hours, perHour])
  }

  it('against the usual pace is a gap until the next delivery, with its reason', async () => {
    await silentFor(59, 60, 4)
    await watch()
    expect(await onlyGap()).toMatchObject({
      kind: 'silent',
      endpoint: null,
      endedAt: null,
      note: expect.stringMatching(/at least [56]\d deliveries came in each of the last 4 weeks/),
    })
    await pool().query('UPDATE delivery SET received_at = clock_timestamp()')
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'silent', endedAt: expect.any(String) })
  })

  it('is none without enough history, at a slow pace, or while the endpoint is off', async () => {
    await silentFor(59, 60, 2)
    await watch()
    await pool().query('UPDATE delivery_hour SET deliveries = 3')
    await watch()
    expect(await gaps()).toEqual([])
  })

  it('learns its pace from the log, hour by hour', async () => {
    await silentFor(130, 60, 0)
    await watch()
    const { rows } = await pool().query('SELECT deliveries FROM delivery_hour')
    expect(rows).toContainEqual({ deliveries: 0 })
    const before = rows.length
    await watch()
    expect((await pool().query('SELECT FROM delivery_hour')).rows).toHaveLength(before)
  })
})

describe('a gap', () => {
  async function aGap(): Promise<string> {
    const { endpointUuid } = await createHere()
    await set(endpointUuid, 'disabled')
    await watch()
    return (await onlyGap()).id
  }

  it('is closed by an admin with an outcome and a reason, ends by itself, and can be opened again', async () => {
    const gapId = await aGap()
    const form = { gapId, outcome: 'nothing-missing', reason } as const
    await closeGap(admin, form, browser)
    await expect(closeGap(admin, form, browser)).rejects.toThrow(Refused)
    await watch()
    expect(await onlyGap()).toMatchObject({
      id: gapId,
      endedAt: null,
      closed: { outcome: 'nothing-missing', reason, by: admin.userUuid },
    })
    expect((await listGaps(admin, { state: 'open' })).rows).toEqual([])
    await set((await onlyGap()).endpoint?.uuid ?? '', 'active')
    await watch()
    expect(await onlyGap()).toMatchObject({ id: gapId, endedAt: expect.any(String) })
    await reopenGap(admin, { gapId, reason }, browser)
    expect((await onlyGap()).closed).toBeNull()
    const { rows } = await pool().query(
      'SELECT action, outcome, reason FROM audit WHERE target = $1 ORDER BY id',
      [gapId],
    )
    expect(rows).toEqual([
      { action: 'gap.close', outcome: 'done', reason },
      { action: 'gap.close', outcome: 'refused', reason },
      { action: 'gap.reopen', outcome: 'done', reason },
    ])
  })

  it('is seen by all staff and closed by admins alone', async () => {
    const gapId = await aGap()
    for (const role of ['support', 'auditor'] as const) {
      const caller = callerWith(role)
      expect(await getGap(caller, gapId)).toMatchObject({ id: gapId })
      const form = { gapId, outcome: 'no-gap', reason } as const
      await expect(closeGap(caller, form, browser)).rejects.toThrow(NotAllowed)
      await expect(reopenGap(caller, { gapId, reason }, browser)).rejects.toThrow(NotAllowed)
    }
    await expect(listGaps(callerWith('end-user'))).rejects.toThrow(NotAllowed)
    expect(await getGap(admin, 'no-id')).toBeNull()
    expect(await getGap(admin, crypto.randomUUID())).toBeNull()
  })

  it('knows the transactions that were open in it', async () => {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       VALUES ($1, 'down', '', now() - interval '1 hour', now() - interval '30 minutes')`,
      [crypto.randomUUID()],
    )
    const { id } = await onlyGap()
    await addTransaction(7_200, 7_000)
    await addTransaction(1_200, 600)
    await addTransaction(600, null)
    const inside = [
      await addTransaction(2_000, 1_900),
      await addTransaction(2_200, null),
      await addTransaction(3_000, 2_000),
      await addTransaction(7_200, 3_000),
      await addTransaction(8_000, 100),
      await addTransaction(9_000, null),
      // Its outcome was received first.
      await addTransaction(1_900, 10_000),
    ].toSorted()
    const gap = await getGap(admin, id)
    expect(gap?.total).toEqual({ count: inside.length, exact: true })
    expect(gap?.transactions.map(({ uuid }) => uuid).toSorted()).toEqual(inside)
    const exported: string[] = []
    if (gap)
      for await (const rows of everyOpenTransaction(gap)) exported.push(...rows.map(({ uuid }) => uuid))
    expect(exported.toSorted()).toEqual(inside)
  })

  it('finds them by an index, however many there are', async () => {
    await pool().query(
      `INSERT INTO transaction (subject_id, uuid, flags, started_at, last_move_at, finished_at)
       SELECT 'transaction:' || n, n, '{}', at, at, CASE WHEN n % 1000 > 0 THEN at + interval '40 s' END
       FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, 20000) AS n) AS made`,
    )
    await pool().query('ANALYZE transaction')
    const span = [new Date(Date.now() - 86_400_000 * 7), new Date(Date.now() - 86_400_000 * 7 + 600_000)]
    const { rows } = await pool().query(`EXPLAIN ${openQuery(1001, 100)}`, span)
    expect(JSON.stringify(rows)).toContain('transaction_open_while_idx')
    expect((await pool().query(openQuery(1001, 100), span)).rows.length).toBeGreaterThanOrEqual(10)
  })
})

it('lists by page, by kind, by endpoint, and by time', async () => {
  for (const hour of [1, 2, 3, 4]) {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       VALUES ($1, $2, '', $3, $3::timestamptz + interval '10 minutes')`,
      [crypto.randomUUID(), hour % 2 ? 'down' : 'silent', new Date(Date.UTC(2026, 1, 1, hour))],
    )
  }
  const first = await listGaps(admin, { limit: 3 })
  const second = await listGaps(admin, { limit: 3, before: first.next ?? '' })
  const hours = [...first.rows, ...second.rows].map(({ beganAt }) => new Date(beganAt).getUTCHours())
  expect(hours).toEqual([4, 3, 2, 1])
  expect(second.next).toBeNull()
  expect((await listGaps(admin, { kind: 'down' })).rows).toHaveLength(2)
  expect((await listGaps(admin, { endpointUuid: crypto.randomUUID() })).rows).toHaveLength(4)
  const during = { from: '2026-02-01T02:05:00Z', until: '2026-02-01T03:00:00Z' }
  expect((await listGaps(admin, { during })).rows).toHaveLength(2)
})
