import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { markDeleting } from '#lib/deliveries/receivers/receiver-store.ts'
import { runWatchRound, startWatcher, watchJob } from '#lib/operations/watcher/watcher.ts'
import { receiverUrl } from '#lib/platform/addresses/public-address.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { serviceClient as connection } from '#lib/service/service-client.ts'
import {
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
} from '#lib/service/webhook-endpoints.ts'
import { admin, browser, createHere, reason } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { control, forgetAll, gaps, holder, onlyGap, set, watch } from '../../../test/watched.ts'
import { changeEndpoint } from '../change-endpoint.ts'
import { createEndpoint } from '../create-endpoint.ts'
import { readStatesSince, recordStates } from '../endpoint-states.ts'
import { listEndpoints } from '../endpoints.ts'
import { deleteEndpoint } from '../replace-endpoint.ts'
import { endpointEvidence } from './endpoint-evidence.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ SANDBOX_AUTO_DISABLE_AFTER: '1' })
})
afterAll(() => service.stop())
beforeEach(forgetAll)

const pointAway = (endpointUuid: string) =>
  changeEndpoint(
    admin,
    { endpointUuid, to: 'elsewhere', url: 'https://merchant.example/hook', subscribedEvents: null, reason },
    browser,
  )

describe('an endpoint', () => {
  it('that is disabled has a gap from its last active moment until it is active again', async () => {
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

  it('that the service disabled after all retries has a gap of its own kind', async () => {
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

  it('that was disabled and enabled here between two rounds has a gap all the same', async () => {
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

  it('that was disabled here has a gap from that moment, unless it was off before', async () => {
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

  it('that was off for a moment has a gap, also when the audit no longer holds the change', async () => {
    const { endpointUuid } = await createHere()
    await watch()
    await set(endpointUuid, 'disabled')
    await set(endpointUuid, 'active')
    await pool().query('TRUNCATE audit')
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'disabled', endpoint: { uuid: endpointUuid } })
  })

  it('that is activated, deleted or pointed away here has no lasting gap, before any round of the watcher', async () => {
    for (const end of ['activate', 'delete', 'point away'] as const) {
      await forgetAll()
      const { endpointUuid } = await createHere()
      await watch()
      await control('/events', { type: 'KYC', subType: 'statusUpdate', uuid: crypto.randomUUID(), data: {} })
      await control('/clock/advance', { seconds: 19 * 3600 })
      await watch()
      expect(await onlyGap()).toMatchObject({ kind: 'auto-disabled', endedAt: null })
      if (end === 'activate') await set(endpointUuid, 'active')
      else if (end === 'delete') await deleteEndpoint(admin, { endpointUuid, reason }, browser)
      else await pointAway(endpointUuid)
      const ended = await onlyGap()
      expect(ended.endedAt, end).not.toBeNull()
      if (end === 'activate')
        expect((await readStatesSince([endpointUuid])).get(endpointUuid)).toMatchObject({ status: 'active' })
      await watch()
      expect(await onlyGap()).toEqual(ended)
    }
  })

  it('that is activated while a round reads the list of the service has no gap again', async () => {
    const { endpointUuid } = await createHere()
    await watch()
    await set(endpointUuid, 'disabled')
    await watch()
    const [started, listed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { fetch } = globalThis
    vi.stubGlobal('fetch', async (...call: Parameters<typeof fetch>) => {
      const answer = await fetch(...call)
      if (call[1]?.method === undefined || call[1].method === 'GET') {
        started.resolve()
        await listed.promise
      }
      return answer
    })
    const round = watch()
    await started.promise
    vi.unstubAllGlobals()
    await set(endpointUuid, 'active')
    const ended = await onlyGap()
    listed.resolve()
    await round
    expect(await onlyGap()).toEqual(ended)
    expect((await readStatesSince([endpointUuid])).get(endpointUuid)).toMatchObject({ status: 'active' })
  })

  it('that is changed here makes the watcher check at once', async () => {
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
      globalThis.rampartListener = undefined
    }
  })

  it('that a page finds disabled elsewhere is in the history at once, before the watcher’s next minute', async () => {
    const form = { to: 'elsewhere', url: 'https://merchant.example/hook', description: 'There' } as const
    const { endpointUuid } = await createEndpoint(admin, { ...form, subscribedEvents: null, reason }, browser)
    const seen = async () => (await readStatesSince([endpointUuid])).get(endpointUuid)?.status
    const watcher = startWatcher(pool(), 3_600_000)
    try {
      await expect.poll(seen).toBe('active')
      await control(`/endpoints/${endpointUuid}/auto-disable`)
      // The test polls, because the listener may still be connecting.
      await expect.poll(() => listEndpoints(admin).then(seen)).toBe('auto_disabled')
    } finally {
      await watcher.stop()
      await listener().close()
      globalThis.rampartListener = undefined
    }
  })

  it('that delivers elsewhere has no gap here', async () => {
    const form = { to: 'elsewhere', url: 'https://merchant.example/hook', description: 'There' } as const
    const { endpointUuid } = await createEndpoint(admin, { ...form, subscribedEvents: null, reason }, browser)
    await set(endpointUuid, 'disabled')
    await watch()
    expect(await gaps()).toEqual([])
  })

  it('that was deleted has its receiver closed, before anybody opens a page', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await deleteWebhookEndpoint(connection(), endpointUuid)
    const state = async () =>
      (await pool().query('SELECT state FROM receiver WHERE id = $1', [receiverId])).rows[0]?.state
    await watch()
    expect(await state()).toBe('active')
    await pool().query(`UPDATE receiver SET updated_at = now() - interval '2 minutes'`)
    // The service knows none of our endpoints: the API key may belong to another merchant.
    await watch()
    expect(await state()).toBe('active')
    await createHere()
    await watch()
    expect(await state()).toBe('closed')
  })

  it('whose deletion was begun has its receiver closed, even if it was the only one', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await markDeleting(endpointUuid)
    await deleteWebhookEndpoint(connection(), endpointUuid)
    await pool().query(`UPDATE receiver SET updated_at = now() - interval '2 minutes'`)
    await watch()
    const { rows } = await pool().query('SELECT state FROM receiver WHERE id = $1', [receiverId])
    expect(rows).toEqual([{ state: 'closed' }])
  })

  it('is watched whatever its description holds', async () => {
    await createHere()
    const [listed] = await listWebhookEndpoints(connection())
    const odd = listed ? [{ ...listed, description: 'Shop\0\ud83d' }] : []
    const now = Date.now()
    await inTransaction(pool(), async (tx) => {
      expect(await recordStates(tx, odd, now)).toMatchObject([{ name: 'Shop\ufffd\ufffd' }])
      expect(await endpointEvidence(tx, odd, { askedAt: now, now })).toMatchObject({ disabled: [] })
    })
    const { rows } = await pool().query('SELECT name FROM watched_endpoint')
    expect(rows).toEqual([{ name: 'Shop\ufffd\ufffd' }])
  })

  it('without a description is named by its host, never by the secret address', async () => {
    const { receiverId } = await createHere()
    const [listed] = await listWebhookEndpoints(connection())
    const unnamed = listed ? [{ ...listed, description: null }] : []
    const now = Date.now()
    await inTransaction(pool(), (tx) => endpointEvidence(tx, unnamed, { askedAt: now, now }))
    const { rows } = await pool().query('SELECT name FROM watched_endpoint')
    expect(rows).toEqual([{ name: new URL(receiverUrl(receiverId)).host }])
  })

  it('stays as it was while the service does not answer', async () => {
    const { endpointUuid } = await createHere()
    await set(endpointUuid, 'disabled')
    await watch()
    // Somebody else activates the endpoint at the service.
    await updateWebhookEndpoint(connection(), endpointUuid, { status: 'active' })
    service.answerWith(503, (route) => route.startsWith('GET /merchant/webhook-endpoints'), 3)
    await watch()
    expect(await onlyGap()).toMatchObject({ endedAt: null })
  })
})

it('one watcher at a time looks after endpoints, and another one after its end', async () => {
  const { endpointUuid } = await createHere()
  await set(endpointUuid, 'disabled')
  expect(await watch()).toBe(true)
  const other = watchJob()
  expect(await runWatchRound(pool(), other)).toBe(false)
  await holder.release(pool())
  expect(await runWatchRound(pool(), other)).toBe(true)
  expect(await watch()).toBe(false)
  expect(await gaps()).toHaveLength(1)
})
