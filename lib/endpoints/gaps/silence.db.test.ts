import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { admin, browser, createHere, reason } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { forgetAll, gaps, onlyGap, set, watch } from '../../../test/watched.ts'
import { changeEndpoint } from '../change-endpoint.ts'
import { hourLength } from '../rules/gap-periods.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(forgetAll)

const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000

async function deliver(receiverId: string, at: number) {
  const id = uuidv7Of(new Date(at))
  await pool().query('INSERT INTO delivery (id, receiver_id, received_at, body) VALUES ($1, $2, $3, $4)', [
    id,
    receiverId,
    new Date(at),
    Buffer.from('{}'),
  ])
}

/** Each full hour of the last weeks brought this many deliveries. */
async function addPace(receiverId: string, perHour: number, weeks = 4) {
  const present = Date.now() - (Date.now() % hourLength)
  const hours = Array.from({ length: weeks * 7 * 24 + 2 }, (_, i) => new Date(present - (i + 1) * hourLength))
  await pool().query(
    'INSERT INTO delivery_hour (receiver_id, hour, deliveries) SELECT $1, unnest($2::timestamptz[]), $3',
    [receiverId, hours, perHour],
  )
}

/** The last delivery to an endpoint here came this many minutes ago. */
async function quietFor(minutes: number, perHour: number, weeks = 4, name = 'Here') {
  const endpoint = await createHere({ description: name })
  await deliver(endpoint.receiverId, minutesAgo(minutes))
  await addPace(endpoint.receiverId, perHour, weeks)
  return endpoint
}

const reported = async () =>
  (await gaps())
    .map(({ endpoint, endedAt }) => `${endpoint?.name ?? 'all'} ${endedAt ? 'over' : 'lasts'}`)
    .toSorted()

describe('a receiver that is silent for longer than its usual pace explains', () => {
  it('is a gap until the next delivery, with its reason', async () => {
    const { endpointUuid } = await quietFor(59, 60)
    await watch()
    expect(await onlyGap()).toMatchObject({
      kind: 'silent',
      endpoint: { uuid: endpointUuid },
      endedAt: null,
      note: expect.stringMatching(/at least [56]\d deliveries came in each of the last 4 weeks/),
    })
    await pool().query('UPDATE delivery SET received_at = clock_timestamp()')
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'silent', endedAt: expect.any(String) })
  })

  it.each([401, 503])(
    'is noticed although the service answers %i when it is asked for its endpoints',
    async (status) => {
      await quietFor(10, 60)
      await watch()
      expect(await gaps()).toEqual([])
      service.answerWith(status, (route) => route.startsWith('GET /merchant/webhook-endpoints'), 2)
      await pool().query(`UPDATE delivery SET received_at = received_at - interval '49 minutes'`)
      await watch()
      expect((await gaps()).filter(({ kind }) => kind === 'silent')).toMatchObject([{ endedAt: null }])
      await pool().query(`DELETE FROM setting WHERE key = 'service-state'`)
      // The watcher would ask the service once more.
      await watch()
    },
  )

  it('is reported while another receiver gets deliveries', async () => {
    await quietFor(59, 60)
    await quietFor(1, 60, 4, 'Lively')
    await watch()
    expect(await reported()).toEqual(['Here lasts'])
  })

  it('is no gap without enough history, at a slow pace, or while its endpoint is off', async () => {
    await quietFor(59, 60, 2, 'New')
    await quietFor(59, 9, 4, 'Slow')
    const { endpointUuid } = await quietFor(59, 60, 4, 'Off')
    await set(endpointUuid, 'disabled')
    await watch()
    expect((await gaps()).map(({ kind, endpoint }) => [kind, endpoint?.name])).toEqual([['disabled', 'Off']])
  })

  it('is not reported while its deliveries are refused, which is a gap of its own', async () => {
    const { receiverId } = await quietFor(59, 60)
    await pool().query(
      `INSERT INTO refusal (receiver_id, minute, why, count, last_at)
       VALUES ($1, date_trunc('minute', now()), 'wrong-secret', 9, now())`,
      [receiverId],
    )
    await watch()
    expect((await gaps()).map(({ kind }) => kind)).toEqual(['refused'])
  })

  it('is no gap when its subscribed events changed', async () => {
    const { endpointUuid } = await quietFor(59, 60)
    await pool().query(`UPDATE delivery SET received_at = clock_timestamp()`)
    await watch()
    const form = { endpointUuid, to: 'same', subscribedEvents: ['KYC'], reason } as const
    await changeEndpoint(admin, { ...form, subscribedEvents: [...form.subscribedEvents] }, browser)
    await watch()
    await pool().query(`UPDATE delivery SET received_at = clock_timestamp() - interval '59 minutes'`)
    await watch()
    expect(await reported()).toEqual([])
    await pool().query(`UPDATE watched_endpoint SET events_changed_at = now() - interval '5 weeks'`)
    await watch()
    expect(await reported()).toEqual(['Here lasts'])
  })
})

describe('several receivers', () => {
  it('that are too slow to judge one by one are reported together, as one gap', async () => {
    await quietFor(59, 20, 4, 'One')
    const two = await quietFor(59, 20, 4, 'Two')
    await createHere({ description: 'Never used' })
    await watch()
    expect(await reported()).toEqual(['all lasts'])
    await deliver(two.receiverId, Date.now())
    await watch()
    expect(await reported()).toEqual(['all over'])
  })

  it('are reported separately when one has been silent for longer', async () => {
    await quietFor(119, 60, 4, 'One')
    const two = await quietFor(59, 60, 4, 'Two')
    await watch()
    expect(await reported()).toEqual(['One lasts', 'all lasts'])
    await deliver(two.receiverId, Date.now())
    await watch()
    expect(await reported()).toEqual(['One lasts', 'all over'])
  })

  it('stay reported separately when the others fall silent soon after', async () => {
    const { receiverId } = await quietFor(59, 60, 4, 'One')
    const two = await quietFor(1, 60, 4, 'Two')
    await watch()
    expect(await reported()).toEqual(['One lasts'])
    await pool().query('UPDATE delivery SET received_at = $2 WHERE receiver_id = $1', [
      two.receiverId,
      new Date(minutesAgo(50)),
    ])
    await watch()
    expect(await reported()).toEqual(['One lasts', 'all lasts'])
    await deliver(receiverId, Date.now())
    await watch()
    expect(await reported()).toEqual(['One over', 'Two lasts', 'all over'])
  })
})

it('learns the pace of each receiver from the log, hour by hour, and counts no hour twice', async () => {
  const one = await createHere({ description: 'One' })
  const two = await createHere({ description: 'Two' })
  const lastFullHour = Date.now() - (Date.now() % hourLength) - hourLength
  await pool().query('UPDATE receiver SET created_at = $1', [new Date(lastFullHour - 2.5 * hourLength)])
  await deliver(one.receiverId, minutesAgo(600))
  for (const seconds of [1, 2, 3]) await deliver(two.receiverId, lastFullHour + seconds * 1000)
  // An hour that ends meanwhile is counted as well.
  const counted = () =>
    pool().query(
      'SELECT receiver_id, hour, deliveries FROM delivery_hour WHERE hour <= $1 ORDER BY hour DESC, deliveries',
      [new Date(lastFullHour)],
    )
  await watch()
  const { rows } = await counted()
  expect(rows).toHaveLength(6)
  expect(rows.slice(0, 2)).toEqual([
    { receiver_id: one.receiverId, hour: new Date(lastFullHour), deliveries: 0 },
    { receiver_id: two.receiverId, hour: new Date(lastFullHour), deliveries: 3 },
  ])
  await watch()
  expect((await counted()).rows).toEqual(rows)
})
