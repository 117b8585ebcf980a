import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readEnv } from './env.ts'
import { startSandbox } from './start.ts'
import {
  apiKey,
  createSandboxDatabase,
  createTestCaller,
  startTestReceiver,
  startTestSandbox,
  type TestCaller,
  testVariables,
  until,
} from './test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
})

async function open(settings: Record<string, unknown> = {}): Promise<TestCaller> {
  const { body } = await sandbox.control('POST', '/namespaces', settings)
  return createTestCaller(sandbox.port, body.api_key)
}

async function removeAll() {
  for (const { api_key } of (await sandbox.control('GET', '/namespaces')).body)
    await sandbox.control('DELETE', `/namespaces/${encodeURIComponent(api_key)}`)
}

/** The state holds everything that a caller can see of a namespace. */
async function stateOf(caller: TestCaller) {
  const paths = ['/users', '/endpoints', '/mailbox', '/deliveries', '/faults', '/refusals']
  const answers = await Promise.all(paths.map((path) => caller.control('GET', path)))
  return Object.fromEntries(answers.map(({ body }, index) => [paths[index], body]))
}

const nothing = {
  '/users': [],
  '/endpoints': [],
  '/mailbox': [],
  '/deliveries': [],
  '/faults': [],
  '/refusals': [],
}

describe('beside another, a namespace', () => {
  let one: TestCaller
  let other: TestCaller
  beforeAll(async () => {
    one = await open()
    other = await open()
  })
  afterAll(removeAll)
  beforeEach(async () => {
    for (const caller of [one, other]) await caller.control('POST', '/reset')
  })

  it('sees nothing of what happens under another key, nor does the sandbox itself', async () => {
    const receiver = await startTestReceiver()
    await one.createEndpoint(receiver.url)
    const email = 'a@demo.test'
    const user_uuid = await one.createUser({ email })
    await one.service('POST', '/auth/login', { user_uuid })
    await one.control('POST', '/scenarios', { name: 'kyc', speed: 'instant' })
    await one.control('POST', '/faults', { kind: 'fail', status: 503, path: '/supported' })
    expect((await one.service('GET', '/supported/countries')).status).toBe(503)
    await until(() => receiver.received.length === 2, 'the scenario')
    for (const caller of [other, sandbox]) {
      expect(await stateOf(caller)).toEqual(nothing)
      expect((await caller.service('GET', '/supported/countries')).status).toBe(200)
      expect((await caller.service('GET', '/user', undefined, { 'user-uuid': user_uuid })).status).toBe(404)
      expect((await caller.service('POST', '/auth/login', { user_uuid })).status).toBe(404)
      expect((await caller.service('GET', '/merchant/webhook-endpoints')).body).toEqual([])
      // The same address is free in another namespace.
      expect(await caller.createUser({ email })).toMatch(/-/)
    }
    await receiver.stop()
  })

  it('takes no session of another', async () => {
    const { body } = await one.control('POST', '/sessions', {})
    const headers = { 'service-session-id': body.service_session_id }
    expect((await one.service('GET', '/user', undefined, headers)).status).toBe(200)
    for (const caller of [other, sandbox])
      expect((await caller.service('GET', '/user', undefined, headers)).status).toBe(401)
  })

  it('sends its events to its own endpoints alone, each with its own secret', async () => {
    const callers = [sandbox, one, other]
    const receivers = await Promise.all(callers.map(() => startTestReceiver()))
    const secrets = await Promise.all(
      callers.map(async (caller, index) => (await caller.createEndpoint(receivers[index]?.url ?? '')).secret),
    )
    await Promise.all(
      callers.map(async (caller) => {
        const uuid = await caller.createUser()
        for (let count = 0; count < 20; count++)
          await caller.control('POST', '/events', { type: 'KYC', subType: `${count}`, uuid, data: {} })
      }),
    )
    for (const [index, { received, stop }] of receivers.entries()) {
      await until(() => received.length >= 20, 'the events')
      expect(new Set(received.map(({ body }) => JSON.parse(body).uuid)).size).toBe(1)
      expect(new Set(received.map(({ headers }) => headers.authorization))).toEqual(
        new Set([`API-Key ${secrets[index]}`]),
      )
      expect(received).toHaveLength(20)
      await stop()
    }
  })

  it('has a clock of its own, with what waits on it', async () => {
    const receiver = await startTestReceiver((_received, count) => (count === 1 ? 500 : 200))
    const { uuid: endpoint } = await one.createEndpoint(receiver.url)
    const uuid = await one.createUser()
    await one.control('POST', '/clock/freeze')
    await one.control('POST', '/clock/set', { now: '2030-01-01T00:00:00Z' })
    await one.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await until(() => receiver.received.length === 1, 'the first attempt')
    for (const caller of [other, sandbox]) {
      await caller.control('POST', '/clock/advance', { seconds: 60 })
      const { body } = await caller.control('GET', '/clock')
      expect(body).toMatchObject({ frozen: false, speed: 1, next_due_at: null })
      expect(Math.abs(Date.parse(body.now) - 60_000 - Date.now())).toBeLessThan(10_000)
    }
    expect(receiver.received).toHaveLength(1)
    const { body } = await one.control('POST', '/clock/advance', { seconds: 3 })
    expect(body).toMatchObject({ now: '2030-01-01T00:00:03.000Z', frozen: true })
    expect((await one.control('GET', `/deliveries?endpoint=${endpoint}`)).body[0].state).toBe('delivered')
    await receiver.stop()
  })

  it('is reset by itself', async () => {
    const callers = [sandbox, one, other]
    for (const caller of callers) await caller.createUser()
    await other.control('POST', '/clock/freeze')
    const before = [await stateOf(sandbox), await stateOf(other)]
    expect((await one.control('POST', '/reset')).status).toBe(204)
    expect(await stateOf(one)).toEqual(nothing)
    expect([await stateOf(sandbox), await stateOf(other)]).toEqual(before)
    expect((await other.control('GET', '/clock')).body.frozen).toBe(true)
    await sandbox.control('POST', '/reset')
    expect((await stateOf(other))['/users']).toHaveLength(1)
  })
})

describe('a namespace', () => {
  afterEach(removeAll)

  it('has its own seed', async () => {
    const [one, same, other] = [await open({ seed: 7 }), await open({ seed: 7 }), await open()]
    const users = [await one.createUser(), await same.createUser(), await other.createUser()]
    expect(users[0]).toBe(users[1])
    expect(users[2]).not.toBe(users[0])
    await one.control('POST', '/reset')
    expect(await one.createUser()).toBe(users[0])
  })

  it.each([[null], [''], ['7'], [true], [[]], [[7]], [-1], [1.5], [2 ** 32]])(
    'is not made with the seed %j',
    async (seed) => {
      expect((await sandbox.control('POST', '/namespaces', { seed })).status).toBe(400)
      expect((await sandbox.control('GET', '/namespaces')).body).toEqual([])
    },
  )

  it('has the key that was asked for, once', async () => {
    const api_key = `my key's namespace/${crypto.randomUUID()}`.replaceAll(' ', '_')
    expect((await sandbox.control('POST', '/namespaces', { api_key })).body).toEqual({ api_key })
    expect((await sandbox.control('POST', '/namespaces', { api_key })).status).toBe(409)
    expect((await sandbox.control('POST', '/namespaces', { api_key: apiKey })).status).toBe(409)
    expect((await sandbox.control('POST', '/namespaces', { api_key: 'short' })).status).toBe(400)
    expect((await sandbox.control('GET', '/namespaces')).body).toEqual([{ api_key }])
    expect(await createTestCaller(sandbox.port, api_key).createUser()).toMatch(/-/)
  })

  it('is gone when it is removed: its key, its tables, and what it would have sent', async () => {
    const one = await open()
    const receiver = await startTestReceiver(() => 500)
    await one.createEndpoint(receiver.url)
    await one.createUser()
    await one.control('POST', '/scenarios', { name: 'fiat-to-crypto', speed: 1 })
    await until(() => receiver.received.length > 0, 'the first attempt')
    const [{ api_key }] = (await sandbox.control('GET', '/namespaces')).body
    expect((await one.control('DELETE', `/namespaces/${api_key}`)).status).toBe(204)
    expect(await schemas(sandbox.databaseUrl)).toEqual([])
    expect((await one.service('GET', '/supported/countries')).status).toBe(401)
    expect((await one.control('GET', '/users')).status).toBe(401)
    expect((await sandbox.control('DELETE', `/namespaces/${api_key}`)).status).toBe(404)
    expect((await sandbox.control('DELETE', `/namespaces/${apiKey}`)).status).toBe(404)
    await receiver.stop()
  })

  it('bears a crowd: six at once, each with its own', async () => {
    const callers = await Promise.all(Array.from({ length: 6 }, () => open()))
    const receivers = await Promise.all(callers.map(() => startTestReceiver()))
    await Promise.all(
      callers.map(async (caller, index) => {
        await caller.createEndpoint(receivers[index]?.url ?? '')
        await caller.createUser()
        await caller.control('POST', '/scenarios', { name: 'fiat-to-crypto', speed: 1 })
        await caller.control('POST', '/clock/advance', { seconds: 600 })
      }),
    )
    expect(receivers.map(({ received }) => received.length)).toEqual(receivers.map(() => 4))
    await Promise.all(receivers.map(({ stop }) => stop()))
  })
})

describe('the sandbox itself', () => {
  it('answers control calls without a key, with its own, and with none that it does not know', async () => {
    const users = (headers: Record<string, string>) =>
      sandbox.call('GET', '/_sandbox/users', undefined, headers)
    expect((await users({})).status).toBe(200)
    expect((await users({ Authorization: apiKey })).status).toBe(200)
    expect((await users({ Authorization: 'sandbox-nobody-has-it' })).status).toBe(401)
  })

  it('keeps its faults for calls with its own key', async () => {
    await sandbox.control('POST', '/faults', { kind: 'fail', status: 503, next: 1 })
    for (const Authorization of ['sandbox-removed', ''])
      expect(
        (await sandbox.service('GET', '/supported/countries', undefined, { Authorization })).status,
      ).toBe(401)
    expect((await sandbox.control('GET', '/faults')).body).toMatchObject([{ left: 1 }])
    expect((await sandbox.service('GET', '/supported/countries')).status).toBe(503)
  })

  it('starts without the namespaces of an earlier run, even one that was killed, and keeps what is its own', async () => {
    const database = await createSandboxDatabase()
    const settings = readEnv(testVariables(database.url))
    const first = await startSandbox(settings)
    const before = createTestCaller(first.port)
    const user = await before.createUser()
    await before.control('POST', '/namespaces', { api_key: 'sandbox-of-a-run' })
    await first.stop()
    expect(await schemas(database.url)).toHaveLength(2)
    const second = await startSandbox(settings)
    expect(await schemas(database.url)).toEqual([])
    const after = createTestCaller(second.port)
    expect((await after.control('GET', '/users')).body).toMatchObject([{ uuid: user }])
    expect((await after.control('POST', '/namespaces', { api_key: 'sandbox-of-a-run' })).status).toBe(201)
    await second.stop()
    await database.drop()
  })
})

async function schemas(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`SELECT nspname FROM pg_namespace WHERE nspname ~ '^namespace_'`)
  await client.end()
  return rows
}
