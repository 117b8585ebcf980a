import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestCaller, startTestReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let receiver: Awaited<ReturnType<typeof startTestReceiver>>
let status = 200
beforeAll(async () => {
  sandbox = await startTestSandbox()
  receiver = await startTestReceiver(() => status)
})
afterAll(async () => {
  await receiver.stop()
  await sandbox.stop()
})
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
  receiver.received.length = 0
  status = 200
})

const send = (subType: string) =>
  sandbox.control('POST', '/events', { type: 'KYC', subType, uuid: crypto.randomUUID(), data: {} })
const switchOn = (fault: Record<string, unknown>) => sandbox.control('POST', '/faults', fault)
const faults = async () => (await sandbox.control('GET', '/faults')).body
const deliveries = async () => (await sandbox.control('GET', '/deliveries')).body
const subTypes = () => receiver.received.map(({ body }) => JSON.parse(body).subType)
const received = (count: number) =>
  until(() => receiver.received.length >= count && subTypes(), `${count} requests`)
/** The wait is long enough to show that no request comes. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 300))

describe('duplicate', () => {
  it('sends the very same request again, and records one attempt', async () => {
    const { secret } = await sandbox.createEndpoint(receiver.url)
    await switchOn({ kind: 'duplicate', times: 3, next: 1 })
    await send('a')
    await received(4)
    await quiet()
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    for (const { headers } of receiver.received) expect(headers.authorization).toBe(`API-Key ${secret}`)
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
    expect(await faults()).toEqual([])
    await send('b')
    expect(await received(5)).toEqual(['a', 'a', 'a', 'a', 'b'])
  })

  it('does not care how a copy is answered', async () => {
    const strict = await startTestReceiver((_received, count) => (count === 1 ? 200 : 500))
    await sandbox.createEndpoint(strict.url)
    await switchOn({ kind: 'duplicate' })
    await send('a')
    await until(() => strict.received.length === 2, 'the copy')
    await quiet()
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ status: 200 }] }])
    await strict.stop()
  })

  it('strikes exactly the next n deliveries', async () => {
    await sandbox.createEndpoint(receiver.url)
    await switchOn({ kind: 'duplicate', next: 5 })
    await Promise.all(Array.from({ length: 20 }, (_, index) => send(`event ${index}`)))
    await received(25)
    await quiet()
    expect(receiver.received).toHaveLength(25)
    expect(await faults()).toEqual([])
  })

  it.each([
    ['', (uuid: string) => uuid],
    [', in capitals too', (uuid: string) => uuid.toUpperCase()],
  ])('keeps to the endpoint it names, until it is switched off%s', async (_case, written) => {
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    const other = await startTestReceiver()
    await sandbox.createEndpoint(other.url)
    await switchOn({ kind: 'duplicate', endpoint: written(uuid) })
    await send('a')
    await received(2)
    await sandbox.control('DELETE', '/faults')
    await send('b')
    expect(await received(3)).toEqual(['a', 'a', 'b'])
    await quiet()
    expect(receiver.received).toHaveLength(3)
    expect(other.received).toHaveLength(2)
    await other.stop()
  })
})

describe('reorder', () => {
  const inOrder = async (names: string[]) => {
    for (const name of names) {
      await send(name)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }

  it('swaps neighbours, until it is switched off', async () => {
    await sandbox.createEndpoint(receiver.url)
    await switchOn({ kind: 'reorder' })
    await inOrder(['a', 'b', 'c', 'd'])
    expect(await received(4)).toEqual(['b', 'a', 'd', 'c'])
    await sandbox.control('DELETE', '/faults')
    await inOrder(['e', 'f'])
    expect((await received(6)).slice(4)).toEqual(['e', 'f'])
  })

  it('holds back exactly the next n deliveries', async () => {
    await sandbox.createEndpoint(receiver.url)
    await switchOn({ kind: 'reorder', next: 1 })
    await inOrder(['a', 'b', 'c', 'd'])
    expect(await received(4)).toEqual(['b', 'a', 'c', 'd'])
    expect(await faults()).toEqual([])
  })

  it('releases a delivery when no other overtakes it', async () => {
    await sandbox.createEndpoint(receiver.url)
    await switchOn({ kind: 'reorder' })
    await send('a')
    await quiet()
    expect(receiver.received).toEqual([])
    expect(await received(1)).toEqual(['a'])
    await until(async () => (await deliveries())[0].state === 'delivered', 'the delivery')
  })

  it('keeps to the endpoint it names', async () => {
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    const other = await startTestReceiver()
    await sandbox.createEndpoint(other.url)
    await switchOn({ kind: 'reorder', endpoint: uuid })
    await inOrder(['a', 'b'])
    expect(await received(2)).toEqual(['b', 'a'])
    expect(other.received.map(({ body }) => JSON.parse(body).subType)).toEqual(['a', 'b'])
    await other.stop()
  })
})

describe('a delivery that is held back', () => {
  const hold = async () => {
    const endpoint = await sandbox.createEndpoint(receiver.url)
    await switchOn({ kind: 'reorder', next: 1 })
    await send('a')
    await until(async () => (await faults()).length === 0, 'the delivery to be held')
    return endpoint
  }
  const one = (uuid: string) => `/merchant/webhook-endpoints/${uuid}`
  const release = () => sandbox.control('DELETE', '/faults')
  const releaseInVain = async () => {
    await release()
    await quiet()
    expect(receiver.received).toEqual([])
  }

  it('carries the secret of after a rotation (§5.5)', async () => {
    const { uuid } = await hold()
    const { signing_secret } = (await sandbox.service('PATCH', `${one(uuid)}/secret`)).body
    await release()
    await received(1)
    expect(receiver.received[0]?.headers.authorization).toBe(`API-Key ${signing_secret}`)
  })

  it('goes to the address of after a change, which its attempt names', async () => {
    const { uuid } = await hold()
    const elsewhere = await startTestReceiver()
    await sandbox.service('PATCH', one(uuid), { url: elsewhere.url })
    await release()
    await until(() => elsewhere.received.length === 1, 'the delivery')
    await until(async () => (await deliveries())[0].state === 'delivered', 'its attempt')
    expect((await deliveries())[0].attempts).toMatchObject([{ url: elsewhere.url }])
    expect(receiver.received).toEqual([])
    await elsewhere.stop()
  })

  it('is not sent to an endpoint that was deleted meanwhile (§3.1)', async () => {
    const { uuid } = await hold()
    await sandbox.service('DELETE', one(uuid))
    await releaseInVain()
  })

  it('is stopped with an endpoint that was disabled meanwhile (§6)', async () => {
    const { uuid } = await hold()
    await sandbox.service('PATCH', one(uuid), { status: 'disabled' })
    await releaseInVain()
    expect(await deliveries()).toMatchObject([{ state: 'stopped', attempts: [] }])
  })

  it('is gone after a reset, and what comes then overtakes nothing', async () => {
    await sandbox.control('POST', '/reset?seed=7')
    await hold()
    await sandbox.control('POST', '/reset?seed=7')
    await hold()
    await quiet()
    expect(receiver.received).toEqual([])
    await release()
    await received(1)
    await quiet()
    expect(receiver.received).toHaveLength(1)
    await sandbox.control('POST', '/reset?seed=0')
  })

  it('leaves at once when its fault is switched off with all others', async () => {
    await hold()
    const began = performance.now()
    await release()
    await received(1)
    expect(performance.now() - began).toBeLessThan(1_500)
  })
})

describe('copies', () => {
  let slow: http.Server
  let url: string
  const secrets: string[] = []
  beforeEach(async () => {
    secrets.length = 0
    slow = http.createServer((request, response) => {
      secrets.push(request.headers.authorization ?? '')
      setTimeout(() => response.end(), 250)
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/hook`
  })
  afterEach(() => {
    slow.closeAllConnections()
    slow.close()
  })

  /** The delivery and its first copy have arrived. */
  const begin = async (caller = createTestCaller(sandbox.port)) => {
    const endpoint = await caller.createEndpoint(url)
    await caller.control('POST', '/faults', { kind: 'duplicate', times: 10, next: 1 })
    await caller.control('POST', '/events', {
      type: 'KYC',
      subType: 'a',
      uuid: crypto.randomUUID(),
      data: {},
    })
    await until(() => secrets.length >= 2, 'the first copy')
    return endpoint
  }
  const nothingMore = async () => {
    const before = secrets.length
    await sleep(1_000)
    // One copy may have been on its way.
    expect(secrets.length).toBeLessThanOrEqual(before + 1)
    expect(secrets.length).toBeLessThan(11)
  }

  it('have all arrived when the clock has advanced', async () => {
    await begin()
    await sandbox.control('POST', '/clock/advance', { seconds: 1 })
    expect(secrets).toHaveLength(11)
  })

  it('do not delay the record of their delivery', async () => {
    await begin()
    await until(async () => (await deliveries())[0].state === 'delivered', 'the record')
    expect(secrets.length).toBeLessThan(11)
  })

  it('carry the secret of after a rotation (§5.5)', async () => {
    const { uuid, secret } = await begin()
    const { body } = await sandbox.service('PATCH', `/merchant/webhook-endpoints/${uuid}/secret`)
    const before = secrets.length
    await until(() => secrets.length === 11, 'all copies')
    const first = secrets.indexOf(`API-Key ${body.signing_secret}`)
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThanOrEqual(before + 1)
    expect(new Set(secrets.slice(0, first))).toEqual(new Set([`API-Key ${secret}`]))
    expect(new Set(secrets.slice(first))).toEqual(new Set([`API-Key ${body.signing_secret}`]))
  })

  it.each<[string, (uuid: string) => Promise<unknown>]>([
    ['its endpoint is deleted', (uuid) => sandbox.service('DELETE', `/merchant/webhook-endpoints/${uuid}`)],
    ['everything is reset', () => sandbox.control('POST', '/reset')],
    ['faults are switched off', () => sandbox.control('DELETE', '/faults')],
  ])('end when %s', async (_what, end) => {
    await end((await begin()).uuid)
    await nothingMore()
  })

  it('end with their namespace', async () => {
    const { api_key } = (await sandbox.control('POST', '/namespaces', {})).body
    await begin(createTestCaller(sandbox.port, api_key))
    await sandbox.control('DELETE', `/namespaces/${api_key}`)
    await nothingMore()
  })
})
