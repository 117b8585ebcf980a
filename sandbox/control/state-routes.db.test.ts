import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestReceiver, startTestSandbox } from '../test/running.ts'

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
