import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestReceiver, startTestSandbox, until } from '../test/running.ts'

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

  it('keeps to the endpoint it names, until it is switched off', async () => {
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    const other = await startTestReceiver()
    await sandbox.createEndpoint(other.url)
    await switchOn({ kind: 'duplicate', endpoint: uuid })
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
