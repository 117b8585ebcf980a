import http from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { apiKey, startTestReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
})

const endpointsPath = '/merchant/webhook-endpoints'
const newEndpoint = { url: 'https://merchant.example/hook', description: 'Test' }

/** The call behaves like a client's, and answers text. */
async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${sandbox.origin}/onboarding${path}`, {
    method,
    headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

const switchOn = async (fault: Record<string, unknown>) =>
  (await sandbox.control('POST', '/faults', fault)).body
const faults = async () => (await sandbox.control('GET', '/faults')).body
const endpoints = async () => (await sandbox.control('GET', '/endpoints')).body

describe('a fault', () => {
  it('is listed while it is on, and can be switched off alone or with all others', async () => {
    const fail = await switchOn({ kind: 'fail', status: 503, next: 4 })
    const slow = await switchOn({ kind: 'slow', milliseconds: 5 })
    const drop = await switchOn({ kind: 'drop_answer', method: 'POST', path: endpointsPath })
    expect(await faults()).toEqual([
      { id: fail.id, kind: 'fail', status: 503, next: 4, left: 4 },
      { id: slow.id, kind: 'slow', milliseconds: 5, left: null },
      { id: drop.id, kind: 'drop_answer', method: 'POST', path: endpointsPath, left: null },
    ])
    expect((await sandbox.control('DELETE', `/faults?id=${slow.id}`)).status).toBe(204)
    expect((await sandbox.control('DELETE', `/faults?id=${slow.id}`)).status).toBe(404)
    expect((await faults()).map((fault: { id: string }) => fault.id)).toEqual([fail.id, drop.id])
    expect((await sandbox.control('DELETE', '/faults')).status).toBe(204)
    expect(await faults()).toEqual([])
  })

  it('ends with a reset', async () => {
    await switchOn({ kind: 'fail', status: 500 })
    await sandbox.control('POST', '/reset')
    expect(await faults()).toEqual([])
    expect((await call('GET', endpointsPath)).status).toBe(200)
  })

  it.each([
    ['of a kind that does not exist', { kind: 'explode' }],
    ['without a kind', { milliseconds: 5 }],
    ['with a field that its kind does not have', { kind: 'drop_answer', status: 500 }],
    ['with a field that another kind has', { kind: 'duplicate', path: endpointsPath }],
    ['without what it needs', { kind: 'slow' }],
    ['that fails with a success', { kind: 'fail', status: 200 }],
    ['that strikes no call', { kind: 'fail', status: 500, next: 0 }],
    ['on a path that is none', { kind: 'fail', status: 500, path: 'merchant' }],
    ['with more copies than ten', { kind: 'duplicate', times: 11 }],
    ['on an endpoint that cannot be one', { kind: 'reorder', endpoint: 'x' }],
  ])('%s is refused', async (_case, fault) => {
    expect((await sandbox.control('POST', '/faults', fault)).status).toBe(400)
    expect(await faults()).toEqual([])
  })

  it.each(['?id=x', '?kind=fail'])('is not switched off by %s', async (query) => {
    await switchOn({ kind: 'invalid_json' })
    expect((await sandbox.control('DELETE', `/faults${query}`)).status).toBe(400)
    expect(await faults()).toHaveLength(1)
  })

  it('strikes neither the control interface nor the console', async () => {
    await switchOn({ kind: 'fail', status: 500 })
    expect((await sandbox.control('GET', '/endpoints')).status).toBe(200)
    expect((await fetch(sandbox.origin)).status).toBe(200)
  })
})

describe('fail', () => {
  it('answers its status with an error body and changes nothing, until it is switched off', async () => {
    await switchOn({ kind: 'fail', status: 503 })
    const refused = await call('POST', endpointsPath, newEndpoint)
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.text)).toMatchObject({ name: 'InjectedFaultError', statusCode: 503 })
    expect(await endpoints()).toEqual([])
    await sandbox.control('DELETE', '/faults')
    expect((await call('POST', endpointsPath, newEndpoint)).status).toBe(201)
  })

  it('says in Retry-After what the document promises of its status', async () => {
    for (const [status, wait] of [
      [429, '1'],
      [503, '1'],
      [500, null],
      [408, null],
    ]) {
      await switchOn({ kind: 'fail', status, next: 1 })
      const { status: answered, headers } = await sandbox.service('GET', endpointsPath)
      expect([answered, headers.get('retry-after')]).toEqual([status, wait])
    }
    const without = await startTestSandbox({ SANDBOX_RETRY_AFTER: 'off' })
    await without.control('POST', '/faults', { kind: 'fail', status: 429, next: 1 })
    expect((await without.service('GET', endpointsPath)).headers.get('retry-after')).toBeNull()
    await without.stop()
  })

  it('strikes exactly the next n calls, however many come at once', async () => {
    await switchOn({ kind: 'fail', status: 418, next: 7 })
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await call('GET', endpointsPath)).status),
    )
    expect(statuses.filter((status) => status === 418)).toHaveLength(7)
    expect(statuses.filter((status) => status === 200)).toHaveLength(33)
    expect(await faults()).toEqual([])
  })

  it('strikes and counts only the method and the path it names', async () => {
    await switchOn({ kind: 'fail', status: 500, method: 'POST', path: endpointsPath, next: 2 })
    expect((await call('GET', endpointsPath)).status).toBe(200)
    expect((await call('GET', '/supported/countries')).status).toBe(200)
    expect(await faults()).toMatchObject([{ left: 2 }])
    expect((await call('POST', endpointsPath, newEndpoint)).status).toBe(500)
    expect(await faults()).toMatchObject([{ left: 1 }])
  })

  it('does not use up other faults', async () => {
    await switchOn({ kind: 'drop_answer', next: 1 })
    await switchOn({ kind: 'fail', status: 500, next: 1 })
    expect((await call('GET', endpointsPath)).status).toBe(500)
    expect(await faults()).toMatchObject([{ kind: 'drop_answer', left: 1 }])
  })
})

describe('drop_answer', () => {
  it('lets the call take effect and hangs up, until it is switched off', async () => {
    await switchOn({ kind: 'drop_answer' })
    await expect(call('POST', endpointsPath, newEndpoint)).rejects.toThrow('fetch failed')
    expect(await endpoints()).toHaveLength(1)
    await sandbox.control('DELETE', '/faults')
    expect((await call('GET', endpointsPath)).status).toBe(200)
  })
})

describe('invalid_json', () => {
  it('lets the call take effect and cuts its answer in the middle, until it is switched off', async () => {
    await switchOn({ kind: 'invalid_json' })
    const { status, text } = await call('POST', endpointsPath, newEndpoint)
    expect(status).toBe(201)
    expect(text).toMatch(/^\{"uuid":/)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(await endpoints()).toHaveLength(1)
    await sandbox.control('DELETE', '/faults')
    expect(JSON.parse((await call('GET', endpointsPath)).text)).toHaveLength(1)
  })

  it('cuts the shortest answer too, and passes by one that has no body', async () => {
    const user_uuid = await sandbox.createUser()
    await switchOn({ kind: 'invalid_json', next: 1 })
    expect((await call('POST', '/auth/login', { user_uuid })).status).toBe(204)
    expect(await call('GET', endpointsPath)).toEqual({ status: 200, text: '[' })
    expect(await call('GET', endpointsPath)).toEqual({ status: 200, text: '[]' })
  })
})

describe('slow', () => {
  it('lets the call take effect at once and its answer wait, until it is switched off', async () => {
    await switchOn({ kind: 'slow', milliseconds: 2_000 })
    const started = performance.now()
    const answer = call('POST', endpointsPath, newEndpoint)
    await until(async () => (await endpoints()).length === 1, 'the endpoint')
    expect(performance.now() - started).toBeLessThan(2_000)
    expect((await answer).status).toBe(201)
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_990)
    await sandbox.control('DELETE', '/faults')
    const again = performance.now()
    await call('GET', endpointsPath)
    expect(performance.now() - again).toBeLessThan(2_000)
  })

  it('waits in real time, whatever the clock does', async () => {
    await sandbox.control('POST', '/clock/speed', { factor: 10_000 })
    await switchOn({ kind: 'slow', milliseconds: 300 })
    const started = performance.now()
    await call('GET', endpointsPath)
    expect(performance.now() - started).toBeGreaterThanOrEqual(290)
  })

  it('keeps no sandbox from stopping', async () => {
    const other = await startTestSandbox()
    await other.control('POST', '/faults', { kind: 'slow', milliseconds: 600_000 })
    const answer = other.service('GET', endpointsPath).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const started = performance.now()
    await other.stop()
    await answer
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('stops waiting for a client that has gone', async () => {
    await switchOn({ kind: 'slow', milliseconds: 60_000, next: 1 })
    await switchOn({ kind: 'invalid_json', next: 1 })
    const outgoing = http.get(`${sandbox.origin}/onboarding${endpointsPath}`, {
      headers: { Authorization: apiKey },
    })
    outgoing.on('error', () => undefined)
    const left = async () => (await faults()).map((fault: { kind: string }) => fault.kind)
    await until(async () => (await left()).length === 1, 'the call to arrive')
    expect(await left()).toEqual(['invalid_json'])
    outgoing.destroy()
    await until(async () => (await left()).length === 0, 'its answer')
  })
})

describe('deliver_before_answer', () => {
  it('sends a new endpoint an event whose secret its creator does not know yet', async () => {
    const order: string[] = []
    const receiver = await startTestReceiver(() => {
      order.push('delivery')
      return 200
    })
    await sandbox.createUser()
    await switchOn({ kind: 'deliver_before_answer', next: 1 })
    const create = async () => {
      const { text } = await call('POST', endpointsPath, {
        url: receiver.url,
        description: 'Early',
        subscribed_events: ['fiatToCrypto', 'AML'],
      })
      order.push('answer')
      return JSON.parse(text)
    }
    const early = await create()
    expect(order).toEqual(['delivery', 'answer'])
    const [delivery] = receiver.received
    expect(delivery?.headers.authorization).toBe(`API-Key ${early.signing_secret}`)
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({ type: 'fiatToCrypto', subType: 'PENDING' })
    await create()
    expect(order).toEqual(['delivery', 'answer', 'answer'])
    await receiver.stop()
  })

  it('reaches no other endpoint, and is switched off', async () => {
    const receiver = await startTestReceiver()
    await sandbox.createEndpoint(receiver.url)
    await switchOn({ kind: 'deliver_before_answer' })
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    await sandbox.control('DELETE', '/faults')
    await sandbox.createEndpoint(receiver.url)
    const { body } = await sandbox.control('GET', '/deliveries')
    expect(body).toMatchObject([{ endpoint_uuid: uuid }])
    await receiver.stop()
  })

  it('waits no longer than 5 s for a receiver that says nothing', async () => {
    const receiver = await startTestReceiver(() => undefined)
    await switchOn({ kind: 'deliver_before_answer' })
    const started = performance.now()
    expect((await call('POST', endpointsPath, { url: receiver.url, description: 'Silent' })).status).toBe(201)
    expect(performance.now() - started).toBeLessThan(9_000)
    await receiver.stop()
  })
})
