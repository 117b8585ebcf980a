import http from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startTestReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let receiver: Awaited<ReturnType<typeof startTestReceiver>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
  receiver = await startTestReceiver((_received, count) => (count % 3 ? 200 : 500))
})
afterAll(async () => {
  await sandbox.stop()
  await receiver.stop()
})

it('a reset is done in the middle of whatever goes on, which goes on', async () => {
  const envelope = { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} }
  let going = true
  async function repeat(work: () => Promise<{ status: number }>) {
    const statuses = new Set<number>()
    while (going) statuses.add((await work()).status)
    return statuses
  }
  const busy = Promise.all([
    repeat(() => sandbox.control('POST', '/events', envelope)),
    repeat(() => sandbox.control('POST', '/events', envelope)),
    repeat(() => sandbox.control('GET', '/deliveries?limit=1')),
  ])
  for (let times = 0; times < 5; times++) {
    await sandbox.createEndpoint(receiver.url)
    await sandbox.createUser()
    await sandbox.control('POST', '/load', { per_second: 300, seconds: 60, mix: { kyc: 1 } })
    for (let plays = 0; plays < 10; plays++)
      await sandbox.control('POST', '/scenarios', { name: 'kyc', speed: 0 })
    expect((await sandbox.control('POST', '/reset')).status).toBe(204)
  }
  going = false
  expect(await busy).toEqual([new Set([202]), new Set([202]), new Set([200])])
})

it.each([
  ['a code is mailed', (user_uuid: string) => sandbox.service('POST', '/auth/login', { user_uuid })],
  ['a session begins', (user_uuid: string) => sandbox.control('POST', '/sessions', { user_uuid })],
])('nobody has the user_uuid when a reset ends just before %s', async (_what, ask) => {
  const user = await sandbox.createUser()
  const database = new pg.Client(sandbox.databaseUrl)
  onTestFinished(() => database.end())
  await database.connect()
  // The user can be read, and nothing can be written about the user.
  await database.query('BEGIN; LOCK TABLE account IN EXCLUSIVE MODE')
  const asked = ask(user)
  const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'account'::regclass`
  await until(async () => (await database.query(waits)).rowCount, 'the request to wait')
  await database.query('DELETE FROM account; COMMIT')
  expect(await asked).toMatchObject({ status: 404, body: { message: 'No user has this user_uuid' } })
})

it('an attempt from before a reset settles no delivery of the same seed after it', async () => {
  const responses: http.ServerResponse[] = []
  const slow = http.createServer((_, response) => responses.push(response))
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/hook`
  const envelope = { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} }
  const ids: string[] = []
  for (const count of [1, 2]) {
    await sandbox.control('POST', '/reset?seed=7')
    await sandbox.createEndpoint(url)
    await sandbox.control('POST', '/events', envelope)
    await until(() => responses.length === count, `attempt ${count}`)
    ids.push((await sandbox.control('GET', '/deliveries')).body[0].id)
  }
  expect(ids[0]).toBe(ids[1])
  responses[0]?.writeHead(500).end()
  responses[1]?.writeHead(201).end()
  const delivered = await until(async () => {
    const { body } = await sandbox.control('GET', '/deliveries')
    return body[0].state === 'delivered' && body
  }, 'the new attempt')
  expect(delivered).toMatchObject([{ attempts_made: 1, attempts: [{ status: 201 }] }])
  slow.close()
})
