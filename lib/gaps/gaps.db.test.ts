import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listener } from '#lib/db/listen.ts'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { pool } from '#lib/db/pool.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { markDeleting } from '#lib/receivers/receiver-store.ts'
import { NotAllowed, Refused } from '#lib/request/refusals.ts'
import { deleteWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { serviceClient as connection } from '#lib/service-client.ts'
import { releaseWatch, runWatchRound } from '#lib/watcher/run-watch-round.ts'
import { startWatcher } from '#lib/watcher/watcher.ts'
import { callerWith } from '../../test/callers.ts'
import { startService, type TestService } from '../../test/service.ts'
import {
  admin,
  browser,
  control,
  createHere,
  forgetAll,
  gaps,
  holder,
  onlyGap,
  reason,
  set,
  watch,
} from '../../test/watched.ts'
import { closeGap } from './close-gap.ts'
import { getGap } from './get-gap.ts'
import { listGaps } from './list-gaps.ts'
import { listStrangerCalls } from './list-stranger-calls.ts'
import { everyOpenTransaction, openQuery } from './read-open-transactions.ts'
import { reopenGap } from './reopen-gap.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ SANDBOX_AUTO_DISABLE_AFTER: '1' })
})
afterAll(() => service.stop())

beforeEach(forgetAll)

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

  it('an endpoint that the service switched off after all retries is a gap of its own kind', async () => {
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

  it('that was switched off and on again here between two rounds is a gap all the same', async () => {
    const { endpointUuid } = await createHere()
    await watch()
    const began = Date.now()
    await set(endpointUuid, 'disabled')
    await set(endpointUuid, 'active')
    const ended = Date.now()
    await watch()
    const gap = await onlyGap()
    expect(gap).toMatchObject({ kind: 'disabled', note: expect.stringContaining('here') })
    expect(Date.parse(gap.beganAt)).toBeGreaterThanOrEqual(began)
    expect(Date.parse(gap.endedAt ?? '')).toBeLessThanOrEqual(ended)
    await watch()
    expect(await onlyGap()).toEqual(gap)
  })

  it('that was disabled here is a gap from that moment, unless it was off before', async () => {
    const { endpointUuid } = await createHere()
    await watch()
    const began = Date.now()
    await set(endpointUuid, 'disabled')
    await watch()
    const gap = await onlyGap()
    expect(Date.parse(gap.beganAt)).toBeGreaterThanOrEqual(began)
    await set(endpointUuid, 'disabled')
    await watch()
    expect(await onlyGap()).toEqual(gap)
  })

  it('that was off for a moment is a gap whatever the audit still holds', async () => {
    const { endpointUuid } = await createHere()
    await watch()
    await set(endpointUuid, 'disabled')
    await set(endpointUuid, 'active')
    await pool().query('TRUNCATE audit')
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'disabled', endpoint: { uuid: endpointUuid } })
  })

  it('a change here makes the watcher check at once', async () => {
    const { endpointUuid } = await createHere()
    const watcher = startWatcher(pool())
    try {
      await expect.poll(async () => (await pool().query('SELECT FROM watched_endpoint')).rowCount).toBe(1)
      await set(endpointUuid, 'disabled')
      await expect.poll(async () => (await gaps()).length).toBe(1)
      await set(endpointUuid, 'active')
      await expect.poll(async () => (await onlyGap()).endedAt).not.toBeNull()
    } finally {
      await watcher.stop()
      await listener().close()
    }
  })

  it('that delivers elsewhere is no gap here', async () => {
    const form = { to: 'elsewhere', url: 'https://merchant.example/hook', description: 'There' } as const
    const { endpointUuid } = await createEndpoint(admin, { ...form, subscribedEvents: null, reason }, browser)
    await set(endpointUuid, 'disabled')
    await watch()
    expect(await gaps()).toEqual([])
  })

  it('a deleted endpoint has its receiver closed without a visit to a page', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await deleteWebhookEndpoint(connection(), endpointUuid)
    const state = async () =>
      (await pool().query('SELECT state FROM receiver WHERE id = $1', [receiverId])).rows[0]?.state
    await watch()
    expect(await state()).toBe('active')
    await pool().query(`UPDATE receiver SET updated_at = now() - interval '2 minutes'`)
    // None of ours is known there: it may be the API key of another merchant.
    await watch()
    expect(await state()).toBe('active')
    await createHere()
    await watch()
    expect(await state()).toBe('closed')
  })

  it('the receiver of an endpoint whose deletion was begun is closed, even if it was the only one', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await markDeleting(endpointUuid)
    await deleteWebhookEndpoint(connection(), endpointUuid)
    await pool().query(`UPDATE receiver SET updated_at = now() - interval '2 minutes'`)
    await watch()
    const { rows } = await pool().query('SELECT state FROM receiver WHERE id = $1', [receiverId])
    expect(rows).toEqual([{ state: 'closed' }])
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
  expect(await runWatchRound(pool(), other)).toBe(false)
  await releaseWatch(pool(), holder)
  expect(await runWatchRound(pool(), other)).toBe(true)
  expect(await watch()).toBe(false)
  expect(await gaps()).toHaveLength(1)
})

describe('refused deliveries', () => {
  const refuseThen = (receiverId: string, minutesAgo: number, count: number) =>
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
      await refuseThen(receiverId, ago, count)
    await watch()
    const [now, then] = await gaps()
    expect(now).toMatchObject({ kind: 'refused', endedAt: null, refused: 1, retries: null })
    expect(then).toMatchObject({ kind: 'refused', refused: 12, endpoint: { uuid: endpointUuid } })
    expect(Date.parse(then?.endedAt ?? '') - Date.parse(then?.beganAt ?? '')).toBeLessThan(12 * 60_000)
    expect(then?.retries).toEqual({ until: expect.any(String) })
    await watch()
    expect(await gaps()).toEqual([now, then])
    await refuseThen(receiverId, 1, 2)
    await watch()
    expect((await gaps()).map(({ refused }) => refused)).toEqual([3, 12])
    await set(endpointUuid, 'disabled')
    await watch()
    const retriesOf = async () => (await gaps()).find(({ id }) => id === then?.id)?.retries
    expect(await retriesOf()).toEqual(then?.retries)
    await pool().query(`UPDATE gap SET began_at = $1 WHERE kind = 'disabled'`, [then?.endedAt])
    expect(await retriesOf()).toBe('cut-off')
  })
})

/** A delivery that was taken so many seconds ago. */
async function take(receiverId: string, secondsAgo: number) {
  const at = new Date(Date.now() - secondsAgo * 1000)
  await pool().query(`INSERT INTO delivery (id, receiver_id, received_at, body) VALUES ($1, $2, $3, '')`, [
    firstUuidv7(at.getTime()),
    receiverId,
    at,
  ])
}

/** Refusals from then until then, in seconds ago, for 20 s of each minute. */
async function refuse(receiverId: string, why: string, from: number, until = from) {
  for (let ago = from; ago >= until; ago -= 60) {
    const at = new Date(Date.now() - ago * 1000)
    await pool().query(
      `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at)
       VALUES ($1, date_trunc('minute', $2::timestamptz), $3, 10, $2, $2::timestamptz + interval '20 s')
       ON CONFLICT (receiver_id, minute, why) DO UPDATE SET count = refusal.count + 10, last_at = EXCLUDED.last_at`,
      [receiverId, at, why],
    )
  }
}

/** As if the endpoint had been made so many seconds ago. */
const age = (receiverId: string, seconds: number) =>
  pool().query(
    `UPDATE receiver SET created_at = now() - $2 * interval '1 s', updated_at = now() - $2 * interval '1 s' WHERE id = $1`,
    [receiverId, seconds],
  )

describe('wrong secrets', () => {
  it('while the right one is accepted are a stranger and no gap', async () => {
    const { receiverId } = await createHere()
    await age(receiverId, 3_600)
    await take(receiverId, 600)
    await refuse(receiverId, 'wrong-secret', 300)
    await take(receiverId, 200)
    await refuse(receiverId, 'wrong-secret', 100)
    await watch()
    expect(await gaps()).toEqual([])
    const [stranger, ...others] = await listStrangerCalls(admin)
    // The last ones are not decided yet.
    expect(stranger).toMatchObject({ endpoint: { name: 'Here' }, count: 10, callers: [] })
    expect(others).toEqual([])
  })

  it('a gap of wrong secrets on a quiet receiver is closed when the right secret is accepted again', async () => {
    const { receiverId } = await createHere()
    await age(receiverId, 36_000)
    await take(receiverId, 7_200)
    await refuse(receiverId, 'wrong-secret', 1_200)
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'refused', closed: null })
    await take(receiverId, 10)
    await watch()
    expect(await onlyGap()).toMatchObject({ closed: { outcome: 'no-gap', by: 'Rampart' } })
    expect(await listStrangerCalls(admin)).toHaveLength(1)
  })

  it('stay a gap when the secret was set right here before it was accepted again', async () => {
    const { receiverId } = await createHere()
    await age(receiverId, 300)
    await refuse(receiverId, 'wrong-secret', 1_800, 1_200)
    await take(receiverId, 60)
    await watch()
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'refused', closed: null, endedAt: expect.any(String) })
    expect(await listStrangerCalls(admin)).toEqual([])
  })
})

describe('deferred deliveries', () => {
  it('are a gap while they still fail, with the reasons, and closed when their retries have come', async () => {
    const { receiverId, endpointUuid } = await createHere()
    await age(receiverId, 36_000)
    await take(receiverId, 7_200)
    await refuse(receiverId, 'secret-not-checkable', 1_000, 700)
    await refuse(receiverId, 'too-late', 700)
    await watch()
    const gap = await onlyGap()
    expect(gap).toMatchObject({
      kind: 'deferred',
      endpoint: { uuid: endpointUuid },
      endedAt: null,
      reasons: [
        { why: 'secret-not-checkable', count: 60 },
        { why: 'too-late', count: 10 },
      ],
      refused: 70,
    })
    await take(receiverId, 600)
    await watch()
    expect(await onlyGap()).toMatchObject({
      id: gap.id,
      endedAt: expect.any(String),
      retries: { until: expect.any(String) },
      closed: null,
    })
    await pool().query(`
      UPDATE refusal SET minute = minute - interval '1 hour', first_at = first_at - interval '1 hour',
        last_at = last_at - interval '1 hour'`)
    await pool().query(
      `UPDATE gap SET began_at = began_at - interval '1 hour', ended_at = ended_at - interval '1 hour'`,
    )
    await watch()
    expect(await onlyGap()).toMatchObject({ id: gap.id, closed: { outcome: 'recovered', by: 'Rampart' } })
  })

  it('stay a gap when their endpoint was switched off before they were sent again', async () => {
    const { receiverId, endpointUuid } = await createHere()
    await age(receiverId, 36_000)
    await refuse(receiverId, 'database', 7_200, 7_000)
    await watch()
    await take(receiverId, 6_000)
    await watch()
    await pool().query(
      `UPDATE gap SET ended_at = began_at + interval '200 s', outcome = NULL WHERE kind = 'deferred'`,
    )
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       SELECT $1, 'disabled', $2, ended_at + interval '10 s', ended_at + interval '1 hour' FROM gap`,
      [crypto.randomUUID(), endpointUuid],
    )
    await watch()
    expect((await gaps()).find(({ kind }) => kind === 'deferred')).toMatchObject({
      closed: null,
      retries: 'cut-off',
    })
  })

  it('a moment of deferrals is no gap, unless nothing came when the retry was due', async () => {
    const [soon, never] = [await createHere('Soon'), await createHere('Never')]
    for (const { receiverId } of [soon, never]) await refuse(receiverId, 'queue-full', 300)
    await take(soon.receiverId, 270)
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'deferred', endpoint: { name: 'Never' }, endedAt: null })
  })

  it('deliveries to a closed address count as missing while an endpoint points at it', async () => {
    const { receiverId } = await createHere()
    await pool().query(`UPDATE receiver SET state = 'closed'`)
    await refuse(receiverId, 'unknown-receiver', 100)
    await watch()
    await watch()
    expect(await onlyGap()).toMatchObject({
      kind: 'refused',
      reasons: [{ why: 'unknown-receiver', count: 10 }],
    })
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
      closed: { outcome: 'nothing-missing', reason, by: admin.id },
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
    expect(gap?.transactions.map(({ unheard }) => unheard)).toEqual([true, true, ...Array(5).fill(false)])
    expect(gap?.unheard).toBe(2)
    await pool().query('UPDATE gap SET ended_at = NULL')
    expect((await getGap(admin, id))?.unheard).toBe(3)
    const exported: string[] = []
    if (gap)
      for await (const rows of everyOpenTransaction('admin', gap))
        exported.push(...rows.map(({ uuid }) => uuid))
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
    expect(JSON.stringify(rows)).toContain('transaction_finished_while_idx')
    expect(JSON.stringify(rows)).toContain('transaction_open_idx')
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
