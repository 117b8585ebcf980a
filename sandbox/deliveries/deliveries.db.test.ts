import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestReceiver, startTestSandbox, type TestReceived, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let user: string
beforeAll(async () => {
  sandbox = await startTestSandbox({ SANDBOX_DELIVERY_TIMEOUT_MS: '1500' })
  user = await sandbox.createUser()
})
afterAll(() => sandbox.stop())

const envelope = (type = 'KYC', data: Record<string, unknown> = { status: 'FULL_USER' }) => ({
  type,
  subType: 'statusUpdate',
  uuid: user,
  data,
})
const send = (body: unknown) => sandbox.control('POST', '/events', body)
const deliveriesTo = async (endpoint: string) =>
  (await sandbox.control('GET', `/deliveries?endpoint=${endpoint}`)).body

async function withReceiver(
  test: (receiver: Awaited<ReturnType<typeof startTestReceiver>>) => Promise<void>,
  answer?: (received: TestReceived, count: number) => number | undefined,
) {
  const receiver = await startTestReceiver(answer)
  try {
    await test(receiver)
  } finally {
    await receiver.stop()
    for (const { uuid } of (await sandbox.control('GET', '/endpoints')).body) {
      await sandbox.service('DELETE', `/merchant/webhook-endpoints/${uuid}`)
    }
  }
}

describe('a delivery', () => {
  it('is a POST of the very envelope with the headers of §5.5 and no others', () =>
    withReceiver(async (receiver) => {
      const { secret } = await sandbox.createEndpoint(receiver.url)
      const text = `{"type":"KYC","subType":"x","uuid":"${user}","data":{"amount":12345678901234567890.10}}`
      await send(text)
      const delivery = await until(() => receiver.received[0], 'the delivery')
      expect(delivery.body).toBe(text)
      const names = delivery.rawHeaders.filter((_, index) => index % 2 === 0).sort()
      expect(names).toEqual([
        'Accept',
        'Authorization',
        'Connection',
        'Content-Length',
        'Content-type',
        'Host',
      ])
      expect(delivery.headers).toMatchObject({
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `API-Key ${secret}`,
      })
    }))

  it('goes to the active endpoints that want its type', () =>
    withReceiver(async (receiver) => {
      const wants = await sandbox.createEndpoint(receiver.url, { subscribed_events: ['KYC', 'AML'] })
      const all = await sandbox.createEndpoint(receiver.url)
      const other = await sandbox.createEndpoint(receiver.url, { subscribed_events: ['AML'] })
      const off = await sandbox.createEndpoint(receiver.url)
      await sandbox.service('PATCH', `/merchant/webhook-endpoints/${off.uuid}`, { status: 'disabled' })
      expect((await send(envelope('KYC'))).body.deliveries).toBe(2)
      await until(() => receiver.received.length === 2, 'two deliveries')
      expect(await deliveriesTo(other.uuid)).toEqual([])
      expect(await deliveriesTo(off.uuid)).toEqual([])
      expect(await deliveriesTo(wants.uuid)).toHaveLength(1)
      expect(await deliveriesTo(all.uuid)).toHaveLength(1)
    }))

  it('that is answered otherwise than 2xx comes again after 3 s, with what the endpoint is by then', () =>
    withReceiver(
      async (receiver) => {
        const endpoint = await sandbox.createEndpoint(receiver.url)
        await send(envelope())
        await until(() => receiver.received.length === 1, 'the first attempt')
        const rotated = await sandbox.service('PATCH', `/merchant/webhook-endpoints/${endpoint.uuid}/secret`)
        await until(() => receiver.received.length === 2, 'the second attempt')
        const [first, second] = receiver.received
        const wait = (second?.at ?? 0) - (first?.at ?? 0)
        expect(wait).toBeGreaterThanOrEqual(3_000)
        // A machine under load is late. The wait for a third attempt is 66 s.
        expect(wait).toBeLessThan(10_000)
        expect(second?.body).toBe(first?.body)
        expect(first?.headers.authorization).toBe(`API-Key ${endpoint.secret}`)
        expect(second?.headers.authorization).toBe(`API-Key ${rotated.body.signing_secret}`)
        const [delivery] = await until(async () => {
          const list = await deliveriesTo(endpoint.uuid)
          return list[0]?.state === 'delivered' && list
        }, 'the record')
        expect(delivery.attempts).toMatchObject([
          { number: 1, status: 500, answer: 'noted', failure: null },
          { number: 2, status: 200, answer: 'noted', failure: null },
        ])
      },
      (_received, count) => (count === 1 ? 500 : 200),
    ))

  it.each([
    ['a redirect, which is not followed', 302, { status: 302 }],
    ['no answer in time', undefined, { status: null, failure: 'no answer within 1500 ms' }],
  ])('has failed with %s', (_case, status, attempt) =>
    withReceiver(
      async (receiver) => {
        const { uuid } = await sandbox.createEndpoint(receiver.url)
        await send(envelope())
        const delivery = await until(async () => {
          const [latest] = await deliveriesTo(uuid)
          return latest?.attempts_made === 1 && latest
        }, 'the attempt')
        expect(delivery).toMatchObject({ state: 'waiting', attempts: [attempt] })
        const wait = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.attempts[0].started_at)
        expect(wait - delivery.attempts[0].duration_ms).toBeGreaterThanOrEqual(2_990)
        expect(wait - delivery.attempts[0].duration_ms).toBeLessThan(10_000)
        expect(receiver.received).toHaveLength(1)
      },
      () => status,
    ),
  )

  it('succeeds with the statuses that are said to, and no others', async () => {
    const strict = await startTestSandbox({ SANDBOX_SUCCESS_STATUSES: '200,302' })
    const answered = [201, 302]
    const receiver = await startTestReceiver((_received, count) => answered[count - 1])
    const { uuid } = await strict.createEndpoint(receiver.url)
    const latest = async () => (await strict.control('GET', `/deliveries?endpoint=${uuid}`)).body[0]
    await strict.control('POST', '/events', { ...envelope(), uuid })
    await strict.control('POST', '/clock/advance', { seconds: 1 })
    expect(await latest()).toMatchObject({ state: 'waiting', attempts_made: 1 })
    await strict.control('POST', '/clock/advance', { seconds: 3 })
    expect(await latest()).toMatchObject({ state: 'delivered', attempts_made: 2 })
    await receiver.stop()
    await strict.stop()
  })

  it('stops when its endpoint is disabled while it waits', () =>
    withReceiver(
      async (receiver) => {
        const { uuid } = await sandbox.createEndpoint(receiver.url)
        await send(envelope())
        await until(async () => (await deliveriesTo(uuid))[0]?.attempts_made === 1, 'the first attempt')
        await sandbox.service('PATCH', `/merchant/webhook-endpoints/${uuid}`, { status: 'disabled' })
        await until(async () => (await deliveriesTo(uuid))[0]?.state === 'stopped', 'the stop')
        expect(receiver.received).toHaveLength(1)
      },
      () => 500,
    ))

  it('follows its endpoint to another url', () =>
    withReceiver(
      async (receiver) => {
        const elsewhere = await startTestReceiver()
        const { uuid } = await sandbox.createEndpoint(receiver.url)
        await send(envelope())
        await until(() => receiver.received.length === 1, 'the first attempt')
        await sandbox.service('PATCH', `/merchant/webhook-endpoints/${uuid}`, { url: elsewhere.url })
        await until(() => elsewhere.received.length === 1, 'the second attempt')
        await elsewhere.stop()
      },
      () => 503,
    ))
})

describe('an endpoint', () => {
  it('that never answers delays no other', async () => {
    // No attempt that never gets an answer ends while this test runs.
    const patient = await startTestSandbox({ SANDBOX_DELIVERY_TIMEOUT_MS: '60000' })
    const [healthy, silent] = [await startTestReceiver(), await startTestReceiver(() => undefined)]
    const uuid = await patient.createUser()
    await patient.createEndpoint(healthy.url)
    const deliver100 = async () => {
      const before = healthy.received.length
      const about = { ...envelope(), uuid }
      await Promise.all(Array.from({ length: 100 }, () => patient.control('POST', '/events', about)))
      await until(() => healthy.received.length === before + 100, '100 deliveries', 45_000)
    }
    await deliver100()
    const endpoint = await patient.createEndpoint(silent.url)
    await deliver100()
    const { body: waiting } = await patient.control('GET', `/deliveries?endpoint=${endpoint.uuid}`)
    expect(waiting.filter(({ attempts }: { attempts: unknown[] }) => attempts.length === 0)).not.toEqual([])
    await Promise.all([healthy.stop(), silent.stop()])
    await patient.stop()
  })
})

describe('a scenario', () => {
  it('plays by itself, in its order', () =>
    withReceiver(async (receiver) => {
      await sandbox.createEndpoint(receiver.url)
      const { status, body } = await sandbox.control('POST', '/scenarios', {
        name: 'fiat-to-crypto',
        user_uuid: user,
        speed: 'instant',
      })
      expect(status).toBe(202)
      await until(() => receiver.received.length === 4, 'four events')
      const envelopes = receiver.received.map((delivery) => JSON.parse(delivery.body))
      expect(envelopes.map(({ subType }) => subType)).toEqual([
        'PENDING',
        'IN_PROGRESS',
        'CRYPTO_TRANSFER_ISSUED',
        'SUCCESS',
      ])
      for (const { data, uuid } of envelopes) {
        expect(data.transactionUuid).toBe(body.transaction_uuid)
        expect(uuid).toBe(user)
      }
    }))

  it('can be any of the list', async () => {
    const { body } = await sandbox.control('GET', '/scenarios')
    expect(body.length).toBeGreaterThan(15)
    for (const { name } of body) {
      expect((await sandbox.control('POST', '/scenarios', { name, user_uuid: user, speed: 0 })).status).toBe(
        202,
      )
    }
  })

  it('of KYC changes the user’s status', async () => {
    const user_uuid = await sandbox.createUser()
    await sandbox.control('POST', '/scenarios', { name: 'kyc', user_uuid, speed: 0 })
    await until(async () => {
      const { body } = await sandbox.service('GET', '/user', undefined, { 'user-uuid': user_uuid })
      return body.status === 'FULL_USER'
    }, 'the full user')
  })
})
