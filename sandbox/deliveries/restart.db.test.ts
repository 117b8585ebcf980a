import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../test/postgres.ts'
import {
  apiKey,
  createSandboxDatabase,
  createTestCaller,
  startTestReceiver,
  testVariables,
  until,
} from '../test/running.ts'

let database: TestDatabase
let port: number
let child: ChildProcess | undefined
beforeAll(async () => {
  database = await createSandboxDatabase()
  port = await findFreePort()
})
afterAll(async () => {
  await stop('SIGKILL')
  await database.drop()
})

async function start(settings: Record<string, string> = {}) {
  const env = testVariables(database.url, { SANDBOX_PORT: String(port), ...settings })
  child = fork(new URL('../main.ts', import.meta.url), {
    env: { ...process.env, ...env },
    silent: true,
    execArgv: [],
  })
  const [message] = await once(child, 'message')
  expect(message).toEqual({ kind: 'ready' })
}

async function stop(signal: NodeJS.Signals) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  return (await exited)[0]
}

describe('the process', () => {
  it('killed in the middle of deliveries loses none, and keeps the retry schedule', async () => {
    let slow = true
    const receiver = await startTestReceiver((_received, count) => (count % 10 === 0 && slow ? 500 : 200))
    const sandbox = createTestCaller(port)
    await start()
    await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    const sent = Array.from({ length: 150 }, (_, index) => ({
      type: 'KYC',
      subType: 'x',
      uuid,
      data: { index },
    }))
    const accepted: unknown[] = []
    const sending = Promise.allSettled(
      sent.map(async (envelope) => {
        const { status, body } = await sandbox.control('POST', '/events', envelope)
        if (status === 202 && body.deliveries === 1) accepted.push(envelope.data.index)
      }),
    )
    await until(() => receiver.received.length > 30, 'some deliveries')
    await stop('SIGKILL')
    await sending
    slow = false
    await start()
    const arrived = () => new Set(receiver.received.map((delivery) => JSON.parse(delivery.body).data.index))
    await until(() => accepted.every((index) => arrived().has(index)), 'all that were accepted')
    await until(
      async () =>
        (await sandbox.control('GET', '/deliveries?limit=1000')).body.every(
          (delivery: { state: string }) => delivery.state === 'delivered',
        ),
      'every delivery to be done',
    )
    const { body: deliveries } = await sandbox.control('GET', '/deliveries?limit=1000')
    for (const { attempts } of deliveries) {
      const [first, second] = attempts
      if (!second) continue
      expect(Date.parse(second.started_at) - Date.parse(first.started_at)).toBeGreaterThanOrEqual(2_990)
    }
    await receiver.stop()
  })

  it('makes an attempt again at once that was under way when it was killed', async () => {
    let answering = false
    const receiver = await startTestReceiver(() => (answering ? 200 : undefined))
    const sandbox = createTestCaller(port)
    await sandbox.control('POST', '/reset')
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    await until(() => receiver.received.length === 1, 'the first attempt')
    await stop('SIGKILL')
    answering = true
    await start()
    await until(() => receiver.received.length === 2, 'the same attempt', 5_000)
    const delivered = await until(async () => {
      const { body } = await sandbox.control('GET', `/deliveries?endpoint=${uuid}`)
      return body[0].state === 'delivered' && body[0]
    }, 'its record')
    expect(delivered.attempts).toMatchObject([{ number: 1, status: 200 }])
    await receiver.stop()
  })

  it('keeps playing a scenario after it was killed', async () => {
    const receiver = await startTestReceiver()
    const sandbox = createTestCaller(port)
    await sandbox.control('POST', '/reset')
    await sandbox.createEndpoint(receiver.url)
    await sandbox.createUser()
    await sandbox.control('POST', '/scenarios', { name: 'fiat-to-crypto', speed: 20 })
    await until(() => receiver.received.length === 2, 'the first two events')
    await stop('SIGKILL')
    await start()
    const steps = () => new Set(receiver.received.map((delivery) => JSON.parse(delivery.body).subType))
    await until(() => steps().size === 4, 'the other events')
    await receiver.stop()
  })

  it('writes no key, session, code or secret to its log, however much it logs', async () => {
    await stop('SIGTERM')
    await start({ SANDBOX_LOG_LEVEL: 'trace' })
    let log = ''
    child?.stdout?.on('data', (chunk) => {
      log += chunk
    })
    const receiver = await startTestReceiver()
    const sandbox = createTestCaller(port)
    const { secret } = await sandbox.createEndpoint(receiver.url)
    const email = `${crypto.randomUUID()}@demo.test`
    const user_uuid = await sandbox.createUser({ email })
    await sandbox.service('POST', '/auth/login', { user_uuid })
    const code = await sandbox.lastCode(email)
    const { body } = await sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password: code })
    await sandbox.service('GET', '/user', undefined, { 'service-session-id': body.service_session_id })
    await sandbox.control('POST', '/scenarios', { name: 'fiat-to-crypto-failed', user_uuid, speed: 0 })
    await until(() => receiver.received.length === 3, 'three events')
    await until(() => log.includes('"delivery"'), 'the log')
    for (const secretText of [apiKey, secret, body.service_session_id]) expect(log).not.toContain(secretText)
    expect(log).not.toMatch(new RegExp(`"${code}"`))
    await receiver.stop()
  })

  it('stops in order on SIGTERM, with exit code 0', async () => {
    expect(await stop('SIGTERM')).toBe(0)
  })

  it('says in one line that its port is taken, with exit code 1', async () => {
    const other = http.createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    const env = testVariables(database.url, { SANDBOX_PORT: String(port) })
    const second = fork(new URL('../main.ts', import.meta.url), {
      env: { ...process.env, ...env },
      silent: true,
      execArgv: [],
    })
    let said = ''
    second.stderr?.on('data', (chunk) => {
      said += chunk
    })
    const [exitCode] = await once(second, 'exit')
    expect(exitCode).toBe(1)
    expect(said.trim()).toBe(`Port ${port} is taken: stop what runs there, or set SANDBOX_PORT to another`)
    other.close()
  })
})

async function findFreePort() {
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address() as AddressInfo
  server.close()
  return free
}
