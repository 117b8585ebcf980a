import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPool } from '../database/pool.ts'
import { readEnv } from '../env.ts'
import { startSandbox } from '../start.ts'
import {
  createSandboxDatabase,
  createTestCaller,
  startTestReceiver,
  startTestSandbox,
  testVariables,
  until,
} from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
})

const now = async () => Date.parse((await sandbox.control('GET', '/clock')).body.now)
/** The clock differs from real time by at least this many ms, however long the call took. */
async function offFromRealTime(): Promise<number> {
  const before = Date.now()
  const shown = await now()
  return Math.max(before - shown, shown - Date.now())
}
const advance = (seconds: number) => sandbox.control('POST', '/clock/advance', { seconds })
const set = (to: string) => sandbox.control('POST', '/clock/set', { now: to })
const freeze = () => sandbox.control('POST', '/clock/freeze')
const resume = () => sandbox.control('POST', '/clock/resume')
const setSpeed = (factor: number) => sandbox.control('POST', '/clock/speed', { factor })

describe('the clock', () => {
  it('shows real time at real speed by default', async () => {
    const { body } = await sandbox.control('GET', '/clock')
    expect(body).toMatchObject({ speed: 1, frozen: false, next_due_at: null })
    expect(await offFromRealTime()).toBeLessThan(1_000)
  })

  it('goes ahead, and whatever expires does', async () => {
    const email = 'clock@demo.test'
    const user_uuid = await sandbox.createUser({ email })
    await sandbox.service('POST', '/auth/login', { user_uuid })
    const one_time_password = await sandbox.lastCode(email)
    const before = await now()
    expect((await advance(601)).status).toBe(200)
    expect((await now()) - before).toBeGreaterThanOrEqual(601_000)
    expect((await sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password })).status).toBe(401)
    await sandbox.control('POST', '/reset')
    expect(await offFromRealTime()).toBeLessThan(1_000)
  })

  it('is said by every answer of the service, refusals too, so that a client can tell by how much it differs', async () => {
    await advance(10 * 24 * 3600)
    for (const answer of [
      await sandbox.service('GET', '/supported/countries'),
      await sandbox.service('POST', '/auth/login', {}),
    ]) {
      const said = Date.parse(answer.headers.get('date') ?? '')
      expect(Math.abs(said - (await now()))).toBeLessThan(5_000)
    }
  })

  it('runs faster, without a jump, and back at real speed goes on from there', async () => {
    const before = await now()
    await setSpeed(10_000)
    expect((await now()) - before).toBeLessThan(3_600_000)
    await until(async () => (await now()) - before > 3_600_000, 'an hour to pass')
    const { body } = await setSpeed(1)
    expect(Date.parse(body.now) - before).toBeGreaterThan(3_600_000)
    expect((await now()) - Date.parse(body.now)).toBeLessThan(5_000)
  })

  it.each([
    ['advance', { seconds: 0 }],
    ['advance', { seconds: -5 }],
    ['advance', { seconds: 1e9 }],
    ['advance', {}],
    ['speed', { factor: 0 }],
    ['speed', { factor: 1e9 }],
    ['speed', { factor: 2, by: 3 }],
    ['set', { now: 'tomorrow' }],
    ['set', { now: '2027-02-30T00:00:00Z' }],
    ['set', { now: '1969-12-31T23:59:59Z' }],
    ['set', { now: '2200-01-01T00:00:00Z' }],
    ['set', {}],
  ])('refuses %s %o and stays as it is', async (path, body) => {
    expect((await sandbox.control('POST', `/clock/${path}`, body)).status).toBe(400)
    expect((await sandbox.control('GET', '/clock')).body.speed).toBe(1)
  })

  it('plays a whole scenario in the order and with the gaps of its own time', async () => {
    const receiver = await startTestReceiver()
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    await sandbox.createUser()
    await freeze()
    await sandbox.control('POST', '/scenarios', { name: 'fiat-to-crypto-held', speed: 1 })
    const { body } = await advance(300)
    expect(body.next_due_at).toBeNull()
    const { body: deliveries } = await sandbox.control('GET', `/deliveries?endpoint=${uuid}`)
    const at = deliveries
      .toReversed()
      .map((delivery: { created_at: string }) => Date.parse(delivery.created_at))
    const gaps = at.slice(1).map((time: number, index: number) => Math.round((time - at[index]) / 1000))
    expect(gaps).toEqual([4, 8, 60, 34, 10])
    expect(receiver.received.map(({ body: text }) => JSON.parse(text).subType)).toEqual([
      'PENDING',
      'IN_PROGRESS',
      'ON_HOLD',
      'IN_PROGRESS',
      'CRYPTO_TRANSFER_ISSUED',
      'SUCCESS',
    ])
    await receiver.stop()
  })

  it('reschedules waiting jobs when the speed changes', async () => {
    const receiver = await startTestReceiver((_received, count) => (count < 3 ? 500 : 200))
    await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await until(() => receiver.received.length === 1, 'the first attempt')
    await setSpeed(100)
    await until(() => receiver.received.length === 3, 'retries after 3 s and 66 s')
    await receiver.stop()
  })

  it('does one change after the other', async () => {
    const before = await now()
    await Promise.all([advance(100), advance(100), advance(100)])
    const passed = (await now()) - before
    expect(passed).toBeGreaterThanOrEqual(300_000)
    expect(passed).toBeLessThan(310_000)
  })

  it.each([false, true])('advances while a load keeps a receiver busy, frozen: %s', async (frozen) => {
    const slow = await startSlowReceiver()
    await sandbox.createEndpoint(slow.url)
    await sandbox.createUser()
    if (frozen) await freeze()
    await sandbox.control('POST', '/load', { per_second: 50, seconds: 600 })
    await until(async () => (await sandbox.control('GET', '/deliveries')).body.length > 20, 'the load')
    await sandbox.control('POST', '/scenarios', { name: 'fiat-to-crypto', speed: 1 })
    const before = await now()
    expect((await advance(60)).status).toBe(200)
    expect((await now()) - before).toBeGreaterThanOrEqual(60_000)
    expect((await sandbox.control('GET', '/load')).body.state).toBe('running')
    expect((await freeze()).body.frozen).toBe(true)
    await sandbox.control('DELETE', '/load')
    await slow.stop()
  })

  it('does the retries of what a scenario sends at their own times, while a load runs', async () => {
    const receiver = await startTestReceiver()
    const failing = await startTestReceiver((_received, count) => (count < 3 ? 500 : 200))
    await sandbox.createEndpoint(receiver.url, { subscribed_events: ['fiatToCrypto'] })
    const { uuid: endpoint } = await sandbox.createEndpoint(failing.url, { subscribed_events: ['AML'] })
    await sandbox.createUser()
    const { body: frozen } = await freeze()
    await sandbox.control('POST', '/load', { per_second: 50, seconds: 600, mix: { 'fiat-to-crypto': 1 } })
    await sandbox.control('POST', '/scenarios', { name: 'aml', speed: 1 })
    await advance(600)
    const { body: deliveries } = await sandbox.control('GET', `/deliveries?endpoint=${endpoint}`)
    const first = deliveries.at(-1)
    const [began = '', ...retries] = startsOf(first)
    expect([began, ...retries]).toEqual([first.created_at, after(began, 3), after(began, 69)])
    expect(began >= frozen.now).toBe(true)
    await sandbox.control('DELETE', '/load')
    await receiver.stop()
    await failing.stop()
  })

  it('advances by way of a retry that waits for a part of a real millisecond', async () => {
    const receiver = await startTestReceiver(() => 500)
    const { uuid: endpoint } = await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    await setSpeed(7)
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await retryWaits()
    await freeze()
    const due = await retryWaits()
    expect(await statusInTime(advance(100))).toBe(200)
    const { body: deliveries } = await sandbox.control('GET', `/deliveries?endpoint=${endpoint}`)
    expect(startsOf(deliveries[0])).toContain(due)
    await receiver.stop()
  })

  it('sends what a busy endpoint had not begun when the clock was set back', async () => {
    const answering = Promise.withResolvers<void>()
    const busy = await startSlowReceiver(() => answering.promise)
    const { uuid: endpoint } = await sandbox.createEndpoint(busy.url)
    const uuid = await sandbox.createUser()
    const { body: frozen } = await freeze()
    const event = { type: 'KYC', subType: 'x', uuid, data: {} }
    await Promise.all(Array.from({ length: 140 }, () => sandbox.control('POST', '/events', event)))
    const waiting = async () => {
      const { body } = await sandbox.control('GET', `/deliveries?endpoint=${endpoint}&limit=200`)
      return body.filter(({ state }: { state: string }) => state === 'waiting').length
    }
    await set(after(frozen.now, -2))
    answering.resolve()
    await until(async () => (await waiting()) === 12, 'answers to the first 128')
    await resume()
    await until(async () => (await waiting()) === 0, 'the others')
    await busy.stop()
  })

  it('advances past a delivery whose job is gone', async () => {
    const receiver = await startTestReceiver((_received, count) => (count === 1 ? 500 : 200))
    await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    const due = await retryWaits()
    const pool = openPool(sandbox.databaseUrl)
    await pool.query(`SELECT complete_jobs(array_agg(id)) FROM jobs WHERE task_identifier = 'deliver'`)
    await pool.end()
    await until(async () => (await now()) > Date.parse(due), 'the due moment')
    expect(await statusInTime(advance(1))).toBe(200)
    expect(receiver.received).toHaveLength(2)
    await receiver.stop()
  })

  it('shows real time after a reset, though it was going ahead', async () => {
    const receiver = await startTestReceiver((_received, count) => (count === 1 ? 500 : undefined))
    await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await until(async () => (await sandbox.control('GET', '/clock')).body.next_due_at, 'the retry to wait')
    const goingAhead = advance(86_400)
    await until(() => receiver.received.length === 2, 'the retry')
    const resetting = sandbox.control('POST', '/reset')
    await receiver.stop()
    await Promise.all([goingAhead, resetting])
    expect(await offFromRealTime()).toBeLessThan(1_000)
  })

  it('goes on where it was when the sandbox starts again, with what waits', async () => {
    const receiver = await startTestReceiver((_received, count) => (count === 1 ? 500 : 200))
    const database = await createSandboxDatabase()
    const settings = readEnv(testVariables(database.url))
    const first = await startSandbox(settings)
    const before = createTestCaller(first.port)
    await before.control('POST', '/clock/advance', { seconds: 86_400 })
    await before.createEndpoint(receiver.url)
    const uuid = await before.createUser()
    await before.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await until(async () => (await before.control('GET', '/clock')).body.next_due_at, 'the retry to wait')
    const { body: left } = await before.control('POST', '/clock/speed', { factor: 2 })
    await first.stop()

    const second = await startSandbox(settings)
    const after = createTestCaller(second.port)
    const { body: found } = await after.control('GET', '/clock')
    expect(found.speed).toBe(2)
    expect(Date.parse(found.now)).toBeGreaterThan(Date.parse(left.now))
    expect(Date.parse(found.now) - Date.parse(left.now)).toBeLessThan(30_000)
    await until(() => receiver.received.length === 2, 'the retry')
    await second.stop()
    await database.drop()
    await receiver.stop()
  })

  it('stands still while frozen: nothing comes due until it is moved, and then at its own time', async () => {
    const receiver = await startTestReceiver((_received, count) => (count === 1 ? 500 : 200))
    const { uuid: endpoint } = await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    const { body: frozen } = await freeze()
    expect(frozen.frozen).toBe(true)
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await retryWaits()
    const { body: waiting } = await sandbox.control('GET', '/clock')
    expect(waiting).toEqual({ ...frozen, next_due_at: after(frozen.now, 3) })
    // The wait is far longer than the retry's 3 s on a real clock.
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    expect((await sandbox.control('GET', '/clock')).body).toEqual(waiting)
    expect(receiver.received).toHaveLength(1)

    const { body: moved } = await advance(10)
    expect(moved).toEqual({ ...frozen, now: after(frozen.now, 10), next_due_at: null })
    const { body: deliveries } = await sandbox.control('GET', `/deliveries?endpoint=${endpoint}`)
    expect(startsOf(deliveries[0])).toEqual([frozen.now, after(frozen.now, 3)])
    await receiver.stop()
  })

  it('goes on from where it was frozen, with what waits, at the speed that it had', async () => {
    const receiver = await startTestReceiver((_received, count) => (count < 3 ? 500 : 200))
    await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    const { body: frozen } = await freeze()
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await retryWaits()
    expect((await setSpeed(100)).body).toMatchObject({ speed: 100, frozen: true, now: frozen.now })
    const { body: resumed } = await resume()
    expect(resumed).toMatchObject({ speed: 100, frozen: false })
    expect(Date.parse(resumed.now) - Date.parse(frozen.now)).toBeLessThan(60_000)
    await until(() => receiver.received.length === 3, 'retries after 3 s and 66 s')
    await receiver.stop()
  })

  it('is set to a moment ahead by way of everything due before it', async () => {
    const receiver = await startTestReceiver()
    const { uuid: endpoint } = await sandbox.createEndpoint(receiver.url)
    await sandbox.createUser()
    await freeze()
    const { body: there } = await set('2030-01-01T00:00:00.000Z')
    expect(there).toEqual({ now: '2030-01-01T00:00:00.000Z', speed: 1, frozen: true, next_due_at: null })
    await sandbox.control('POST', '/scenarios', { name: 'fiat-to-crypto', speed: 1 })
    const { body: later } = await set('2030-01-01T03:00:00+02:00')
    expect(later).toMatchObject({ now: '2030-01-01T01:00:00.000Z', next_due_at: null })
    const { body: deliveries } = await sandbox.control('GET', `/deliveries?endpoint=${endpoint}`)
    expect(deliveries.map(({ created_at }: { created_at: string }) => created_at).toReversed()[0]).toBe(
      '2030-01-01T00:00:00.000Z',
    )
    expect(receiver.received).toHaveLength(4)
    await receiver.stop()
  })

  it('is set back: what waited waits longer, and codes are counted anew', async () => {
    const receiver = await startTestReceiver(() => 500)
    await sandbox.createEndpoint(receiver.url)
    const email = 'back@demo.test'
    const user_uuid = await sandbox.createUser({ email })
    await freeze()
    await set('2030-01-01T00:00:00Z')
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid: user_uuid, data: {} })
    await retryWaits()
    for (let code = 0; code < 10; code++) await sandbox.service('POST', '/auth/login', { user_uuid })
    expect((await sandbox.service('POST', '/auth/login', { user_uuid })).status).toBe(429)
    const { body: back } = await set('2029-01-01T00:00:00Z')
    expect(back).toMatchObject({ now: '2029-01-01T00:00:00.000Z', next_due_at: '2030-01-01T00:00:03.000Z' })
    expect((await sandbox.service('POST', '/auth/login', { user_uuid })).status).toBe(204)
    expect(receiver.received).toHaveLength(1)
    await receiver.stop()
  })

  it('keeps the order in which things were made while it stands still', async () => {
    await freeze()
    const made: Record<'users' | 'endpoints' | 'subjects', string[]> = {
      users: [],
      endpoints: [],
      subjects: [],
    }
    for (let count = 0; count < 8; count++) {
      made.users.push(await sandbox.createUser())
      made.endpoints.push((await sandbox.createEndpoint('https://127.0.0.1:9/hook')).uuid)
    }
    for (const uuid of made.users) {
      await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
      made.subjects.unshift(uuid)
    }
    const uuids = (rows: { uuid: string }[]) => rows.map(({ uuid }) => uuid)
    expect(uuids((await sandbox.control('GET', '/users')).body)).toEqual(made.users)
    expect(uuids((await sandbox.control('GET', '/endpoints')).body)).toEqual(made.endpoints)
    const { body } = await sandbox.control('GET', `/deliveries?endpoint=${made.endpoints[0]}`)
    expect(uuids(body.map(({ envelope }: { envelope: { uuid: string } }) => envelope))).toEqual(made.subjects)
  })

  it('is real again after a reset, though it was frozen and set', async () => {
    await freeze()
    await set('2030-01-01T00:00:00Z')
    await sandbox.control('POST', '/reset')
    expect((await sandbox.control('GET', '/clock')).body).toMatchObject({ frozen: false, speed: 1 })
    expect(await offFromRealTime()).toBeLessThan(1_000)
  })

  it('stays frozen when the sandbox starts again', async () => {
    const database = await createSandboxDatabase()
    const settings = readEnv(testVariables(database.url))
    const first = await startSandbox(settings)
    const { body: left } = await createTestCaller(first.port).control('POST', '/clock/freeze')
    await first.stop()
    const second = await startSandbox(settings)
    expect((await createTestCaller(second.port).control('GET', '/clock')).body).toEqual(left)
    await second.stop()
    await database.drop()
  })
})

/** The receiver takes 40 ms for each answer, longer than the pauses of a load, or waits as it is given. */
async function startSlowReceiver(wait: () => Promise<unknown> = () => sleep(40)) {
  const server = http.createServer((_request, response) => void wait().then(() => response.end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** An attempt has failed and is recorded. The answer is the moment of the next. */
const retryWaits = () =>
  until<string>(async () => {
    const { now, next_due_at } = (await sandbox.control('GET', '/clock')).body
    return next_due_at > now && next_due_at
  }, 'the retry to wait')

/** An advance that does not end has no status. */
const statusInTime = (advanced: ReturnType<typeof advance>) =>
  Promise.race([advanced.then(({ status }) => status), sleep(10_000)])

const startsOf = ({ attempts }: { attempts: { started_at: string }[] }) =>
  attempts.map(({ started_at }) => started_at)

const after = (moment: string, seconds: number) => new Date(Date.parse(moment) + seconds * 1000).toISOString()
