import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { auditAbout } from '../../../test/audit-reason.ts'
import { admin, browser, createHere, reason } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { age, forgetAll, gaps, onlyGap, refuse, set, take, watch } from '../../../test/watched.ts'
import { listEndpoints } from '../endpoints.ts'
import { rotateSecret } from '../rotate-secret.ts'
import { reopenGap } from './close-gap.ts'
import { listStrangerCalls } from './list-stranger-calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(forgetAll)

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

describe('wrong secrets', () => {
  it('are a stranger and no gap while the right one is accepted', async () => {
    const { receiverId } = await createHere()
    await age(receiverId, 3_600)
    await take(receiverId, 600)
    await refuse(receiverId, 'wrong-secret', 300)
    await take(receiverId, 200)
    await refuse(receiverId, 'wrong-secret', 100)
    await watch()
    expect(await gaps()).toEqual([])
    const [stranger, ...others] = await listStrangerCalls(admin)
    // The last calls are not decided yet.
    expect(stranger).toMatchObject({ endpoint: { name: 'Here' }, count: 10, callers: [] })
    expect(others).toEqual([])
  })

  it.each(['no-authorization', 'other-scheme'])(
    'so are calls with %s, and a gap while none is accepted',
    async (why) => {
      const { receiverId, endpointUuid } = await createHere()
      await age(receiverId, 36_000)
      await take(receiverId, 7_200)
      await refuse(receiverId, why, 300)
      await watch()
      expect(await onlyGap()).toMatchObject({ kind: 'refused', reasons: [{ why }], closed: null })
      // The secret is right, so nothing offers a new one.
      const shown = (await listEndpoints(admin)).find(({ uuid }) => uuid === endpointUuid)
      expect(shown).toMatchObject({ repair: null, receiver: { reasons: [{ why }] } })
      await take(receiverId, 10)
      await watch()
      expect(await onlyGap()).toMatchObject({ closed: { outcome: 'no-gap' } })
      expect(await listStrangerCalls(admin)).toHaveLength(1)
    },
  )

  it('a gap of wrong secrets on a quiet receiver is closed when the right secret is accepted again', async () => {
    const { receiverId } = await createHere()
    await age(receiverId, 36_000)
    await take(receiverId, 7_200)
    await refuse(receiverId, 'wrong-secret', 1_200)
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'refused', closed: null })
    await take(receiverId, 10)
    await watch()
    const { id, closed } = await onlyGap()
    expect(closed).toMatchObject({ outcome: 'no-gap', by: 'Rampart' })
    expect(await auditAbout(id)).toMatchObject([
      { action: 'gap.close', outcome: 'done', actor: null, details: { outcome: 'no-gap' } },
    ])
    expect(await listStrangerCalls(admin)).toHaveLength(1)
    await reopenGap(admin, { gapId: id, reason }, browser)
    await watch()
    expect(await onlyGap()).toMatchObject({ id, closed: null })
  })

  const hours = 3_600
  it.each([
    ['many deliveries', Array.from({ length: 115 }, (_, index) => 20 * hours - index * 600)],
    ['one', [0, 3, 69, 800, 4_898, 20_525, 67_183].map((at) => 20 * hours - at)],
  ])('leave a gap to a person when all attempts of %s may have been refused', async (_, calls) => {
    const { receiverId } = await createHere()
    await age(receiverId, 200 * hours)
    await take(receiverId, 21 * hours)
    for (const ago of calls) await refuse(receiverId, 'no-authorization', ago)
    await watch()
    expect((await gaps()).length).toBeGreaterThan(0)
    await take(receiverId, 10)
    await watch()
    await watch()
    for (const gap of await gaps())
      expect(gap).toMatchObject({ kind: 'refused', endedAt: expect.any(String), closed: null })
    expect(await listStrangerCalls(admin)).toEqual([])
  })

  it('are a stranger’s, however long they come, when something was accepted in between', async () => {
    const { receiverId } = await createHere()
    await age(receiverId, 200 * hours)
    await take(receiverId, 21 * hours)
    for (let ago = 20 * hours; ago > hours; ago -= 600) await refuse(receiverId, 'wrong-secret', ago)
    await watch()
    await take(receiverId, 11 * hours)
    await take(receiverId, 10)
    await watch()
    for (const gap of await gaps()) expect(gap).toMatchObject({ closed: { outcome: 'no-gap' } })
    expect(await listStrangerCalls(admin)).toHaveLength(1)
  })

  it('leave a gap to a person when the endpoint was switched off before the retries', async () => {
    const { receiverId, endpointUuid } = await createHere()
    await age(receiverId, 10 * hours)
    await take(receiverId, 3 * hours)
    await refuse(receiverId, 'wrong-secret', 2 * hours)
    await watch()
    await set(endpointUuid, 'disabled')
    await watch()
    await pool().query(`UPDATE gap SET began_at = began_at - interval '119 minutes' WHERE kind = 'disabled'`)
    await set(endpointUuid, 'active')
    await take(receiverId, 10)
    await watch()
    const [refused] = (await gaps()).filter(({ kind }) => kind === 'refused')
    expect(refused).toMatchObject({ retries: 'cut-off', closed: null })
  })

  it('are a gap that ends as soon as the secret is rotated here', async () => {
    const { receiverId, endpointUuid } = await createHere()
    await age(receiverId, 3_600)
    await refuse(receiverId, 'wrong-secret', 300)
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'refused', endedAt: null })
    await rotateSecret(admin, { endpointUuid, reason }, browser)
    const ended = await onlyGap()
    expect(ended).toMatchObject({ kind: 'refused', endedAt: expect.any(String), closed: null })
    await watch()
    expect(await onlyGap()).toEqual(ended)
  })

  it('stay a gap when the secret was corrected here before it was accepted again', async () => {
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
