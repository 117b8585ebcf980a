import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox({ SANDBOX_AUTO_DISABLE_AFTER: '2' })
})
afterAll(() => sandbox.stop())
beforeEach(() => sandbox.control('POST', '/reset'))

/** §6.8 defines this. */
const waits = [3, 66, 731, 4_098, 15_627, 46_658]
const wholeSchedule = waits.reduce((sum, wait) => sum + wait)

const envelope = { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} }
const send = async () => (await sandbox.control('POST', '/events', envelope)).body.deliveries
const advance = async (seconds: number) => (await sandbox.control('POST', '/clock/advance', { seconds })).body
const statusOf = async (uuid: string) =>
  (await sandbox.service('GET', `/merchant/webhook-endpoints/${uuid}`)).body.status

interface Shown {
  readonly state: string
  readonly next_attempt_at: string | null
  readonly envelope: { readonly subType: string }
  readonly attempts: { readonly number: number; readonly started_at: string; readonly duration_ms: number }[]
}
const deliveriesTo = async (uuid: string): Promise<Shown[]> =>
  (await sandbox.control('GET', `/deliveries?endpoint=${uuid}`)).body
async function latest(uuid: string): Promise<Shown> {
  const [delivery] = await deliveriesTo(uuid)
  if (!delivery) throw new Error('There is no delivery')
  return delivery
}

/** Each wait runs from the end of an attempt to the start of the next, in seconds on the sandbox's clock. */
const waitsOf = ({ attempts }: Shown) =>
  attempts.slice(1).map(({ started_at }, index) => {
    const before = attempts[index]
    const ended = Date.parse(before?.started_at ?? '') + (before?.duration_ms ?? 0)
    return (Date.parse(started_at) - ended) / 1000
  })

describe('§6.8, played to its end', () => {
  it('is seven attempts, n^6 + 2 seconds apart, and the event is not sent again', async () => {
    const receiver = await startTestReceiver(() => 500)
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    await send()
    await advance(wholeSchedule + 60)
    const delivery = await latest(uuid)
    expect(delivery).toMatchObject({ state: 'lost', next_attempt_at: null })
    expect(delivery.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7])
    for (const [index, waited] of waitsOf(delivery).entries()) {
      expect(waited).toBeGreaterThanOrEqual((waits[index] ?? 0) - 0.002)
      expect(waited).toBeLessThan((waits[index] ?? 0) + 2)
    }
    expect(await advance(86_400)).toMatchObject({ next_due_at: null })
    expect(receiver.received).toHaveLength(7)
    await receiver.stop()
  })

  it('makes no attempt before its time', async () => {
    const receiver = await startTestReceiver(() => 500)
    await sandbox.createEndpoint(receiver.url)
    await send()
    for (const [index] of waits.entries()) {
      const { now, next_due_at } = await advance(0.001)
      await advance((Date.parse(next_due_at) - Date.parse(now)) / 1000 - 1)
      expect(receiver.received).toHaveLength(index + 1)
      await advance(1)
      expect(receiver.received).toHaveLength(index + 2)
    }
    await receiver.stop()
  })

  it('is the same on a clock that runs fast', async () => {
    const receiver = await startTestReceiver(() => 500)
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    await sandbox.control('POST', '/clock/speed', { factor: 20_000 })
    await send()
    await until(async () => (await latest(uuid)).state === 'lost', 'the last attempt')
    const { attempts } = await latest(uuid)
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7])
    const starts = attempts.map(({ started_at }) => Date.parse(started_at) / 1000)
    for (const [index, wait] of waits.entries()) {
      expect((starts[index + 1] ?? 0) - (starts[index] ?? 0)).toBeGreaterThanOrEqual(wait)
    }
    await receiver.stop()
  })

  it('twice in a row switches its endpoint off, until it is set active again', async () => {
    const receiver = await startTestReceiver(() => 500)
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    expect(await send()).toBe(1)
    await advance(wholeSchedule + 60)
    expect(await statusOf(uuid)).toBe('active')
    expect(await send()).toBe(1)
    await advance(wholeSchedule + 60)
    expect(await statusOf(uuid)).toBe('auto_disabled')
    expect(await send()).toBe(0)
    await sandbox.service('PATCH', `/merchant/webhook-endpoints/${uuid}`, { status: 'active' })
    expect(await send()).toBe(1)
    await receiver.stop()
  })

  it('goes on beside other endpoints and a scenario, each attempt in its turn', async () => {
    const arrived: string[] = []
    const listen = (name: string, answer: (count: number) => number) =>
      startTestReceiver(({ body }, count) => {
        arrived.push(`${name} ${JSON.parse(body).subType}`)
        return answer(count)
      })
    const failing = await listen('failing', () => 500)
    const healing = await listen('healing', (count) => (count === 1 ? 500 : 200))
    await sandbox.createEndpoint(failing.url)
    const { uuid } = await sandbox.createEndpoint(healing.url)
    await sandbox.control('POST', '/scenarios', {
      name: 'fiat-to-crypto',
      user_uuid: await sandbox.createUser(),
      speed: 0.4,
    })
    await advance(200)
    const turns = [
      ['failing PENDING', 'healing PENDING'], // at once
      ['failing PENDING', 'healing PENDING'], // after 3 s
      ['failing IN_PROGRESS', 'healing IN_PROGRESS'], // 10 s
      ['failing IN_PROGRESS'], // 13 s
      ['failing PENDING'], // 69 s
      ['failing IN_PROGRESS'], // 79 s
      ['failing CRYPTO_TRANSFER_ISSUED', 'healing CRYPTO_TRANSFER_ISSUED'], // 95 s
      ['failing CRYPTO_TRANSFER_ISSUED'], // 98 s
      ['failing SUCCESS', 'healing SUCCESS'], // 120 s
      ['failing SUCCESS'], // 123 s
      ['failing CRYPTO_TRANSFER_ISSUED'], // 164 s
      ['failing SUCCESS'], // 189 s
    ]
    expect(turns.map(({ length }) => arrived.splice(0, length).sort())).toEqual(turns)
    expect(arrived).toEqual([])
    expect((await deliveriesTo(uuid)).map(({ state }) => state)).toEqual(Array(4).fill('delivered'))
    await Promise.all([failing.stop(), healing.stop()])
  })
})
