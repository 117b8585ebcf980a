import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(() => sandbox.control('POST', '/reset'))

const start = (body: unknown) => sandbox.control('POST', '/load', body)
const progress = async () => (await sandbox.control('GET', '/load')).body
const finished = () =>
  until(async () => {
    const body = await progress()
    return body.state === 'finished' && body
  }, 'the end of the load')

describe('a load', () => {
  it('sends as many events as it was asked for, about the users that exist', async () => {
    const users = [await sandbox.createUser(), await sandbox.createUser()]
    const receiver = await startTestReceiver()
    await sandbox.createEndpoint(receiver.url)
    const started = await start({ per_second: 100, seconds: 2 })
    expect(started).toMatchObject({ status: 202, body: { events: 200 } })
    expect(await finished()).toMatchObject({
      load_id: started.body.load_id,
      events: 200,
      sent: 200,
      per_second: 100,
      deliveries: 200,
    })
    await until(() => receiver.received.length === 200, '200 deliveries')
    const about = new Set(receiver.received.map(({ body }) => JSON.parse(body).uuid))
    expect([...about].sort()).toEqual(users.sort())
    await receiver.stop()
  })

  it('runs transactions beside each other, each in its own order', async () => {
    await sandbox.createUser()
    await sandbox.createEndpoint('http://127.0.0.1:9/hook')
    await start({ per_second: 200, seconds: 3, mix: { 'fiat-to-crypto': 1 } })
    await finished()
    const { body } = await sandbox.control('GET', '/deliveries?limit=1000')
    const oldestFirst: { envelope: { subType: string; data: { transactionUuid: string } } }[] = body.reverse()
    const steps = Map.groupBy(oldestFirst, ({ envelope }) => envelope.data.transactionUuid)
    expect(steps.size).toBeGreaterThan(20)
    const order = ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS']
    for (const sent of steps.values()) {
      expect(sent.map(({ envelope }) => envelope.subType)).toEqual(order.slice(0, sent.length))
    }
    expect([...steps.values()].some((sent) => sent.length === order.length)).toBe(true)
  })

  it('keeps GET /user in step with what it says of it', async () => {
    const user_uuid = await sandbox.createUser()
    await start({ per_second: 1, seconds: 1, mix: { kyc: 1 } })
    await finished()
    const { body } = await sandbox.service('GET', '/user', undefined, { 'user-uuid': user_uuid })
    expect(body.status).toBe('KYC_PENDING')
  })

  it('runs alone, and can be stopped', async () => {
    await sandbox.createUser()
    expect((await start({ per_second: 1, seconds: 1_000 })).status).toBe(202)
    expect((await start({ per_second: 1, seconds: 1 })).status).toBe(409)
    expect((await sandbox.control('DELETE', '/load')).status).toBe(204)
    expect(await progress()).toMatchObject({ state: 'stopped', sent: 1 })
    expect((await start({ per_second: 1, seconds: 1 })).status).toBe(202)
  })

  it('ends with a reset, which forgets it', async () => {
    await sandbox.createUser()
    await start({ per_second: 500, seconds: 1_000 })
    expect((await sandbox.control('POST', '/reset')).status).toBe(204)
    expect((await sandbox.control('GET', '/load')).status).toBe(404)
    expect((await sandbox.control('GET', '/deliveries')).body).toEqual([])
  })

  it('ends with its sandbox, between two statements', async () => {
    const other = await startTestSandbox()
    await other.createUser()
    await other.control('POST', '/load', { per_second: 1_000, seconds: 1_000 })
    await until(async () => (await other.control('GET', '/load')).body.sent > 100, 'some events')
    await other.stop()
  })

  it('needs a user', async () => {
    expect((await start({ per_second: 1, seconds: 1 })).status).toBe(404)
  })

  it.each([
    ['no pace', { seconds: 1 }],
    ['a pace of nothing', { per_second: 0, seconds: 1 }],
    ['half an event', { per_second: 1.5, seconds: 1 }],
    ['more than can be', { per_second: 10_001, seconds: 1 }],
    ['a scenario that does not exist', { per_second: 1, seconds: 1, mix: { other: 1 } }],
    ['an empty mix', { per_second: 1, seconds: 1, mix: {} }],
    ['a weight of nothing', { per_second: 1, seconds: 1, mix: { kyc: 0 } }],
    ['a field too many', { per_second: 1, seconds: 1, speed: 2 }],
  ])('is refused with %s', async (_case, body) => {
    await sandbox.createUser()
    expect((await start(body)).status).toBe(400)
  })
})
