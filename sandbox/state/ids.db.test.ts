import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase } from '../../test/postgres.ts'
import { readEnv } from '../env.ts'
import { startSandbox } from '../start.ts'
import { createTestCaller, startTestReceiver, startTestSandbox, testVariables } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let receiver: Awaited<ReturnType<typeof startTestReceiver>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
  receiver = await startTestReceiver()
})
afterAll(async () => {
  await sandbox.stop()
  await receiver.stop()
})

/** The tour visits everything with an id, a secret, a code or an invented figure, and every answer that names one. */
async function tour({ control, service, createUser }: ReturnType<typeof createTestCaller>) {
  await control('POST', '/clock/freeze')
  await control('POST', '/clock/set', { now: '2030-01-01T00:00:00Z' })
  const answers: unknown[] = []
  const keep = async (call: Promise<{ body: unknown }>) => {
    const { body } = await call
    answers.push(body)
    return body
  }
  const [first, second] = [
    await createUser({ email: 'a@demo.test' }),
    await createUser({ email: 'b@demo.test' }),
  ]
  const { body: endpoint } = await service('POST', '/merchant/webhook-endpoints', {
    url: receiver.url,
    description: 'Test',
  })
  await keep(service('PATCH', `/merchant/webhook-endpoints/${endpoint.uuid}/secret`))
  for (const user_uuid of [first, second]) await service('POST', '/auth/login', { user_uuid })
  await service('POST', '/auth/login', { user_uuid: first })
  const { body: mails } = await control('GET', '/mailbox?email=a@demo.test')
  await keep(service('POST', '/auth/otp/', { user_uuid: first, one_time_password: mails.at(-1).code }))
  await keep(service('POST', '/user/kyc/applicant/share-token', {}, { 'user-uuid': first }))
  await keep(service('GET', `/merchant/webhook-endpoints/${first}`))
  await keep(control('POST', '/faults', { kind: 'reorder', next: 1, endpoint: first }))
  await keep(control('POST', '/events', { type: 'KYC', subType: 'x', uuid: first, data: {} }))
  for (const name of ['fiat-to-crypto', 'kyc']) await keep(control('POST', '/scenarios', { name, speed: 1 }))
  await control('POST', '/clock/advance', { seconds: 600 })
  for (const path of ['/mailbox', '/users', '/endpoints', '/faults']) await keep(control('GET', path))
  const { body: deliveries } = await control('GET', '/deliveries')
  // Real times differ from run to run.
  for (const delivery of deliveries) for (const attempt of delivery.attempts) delete attempt.duration_ms
  // Plays run side by side, so the order of two events of one moment differs.
  answers.push(
    deliveries.toSorted((one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)),
  )
  return { text: JSON.stringify([first, second, endpoint, ...answers]), first }
}

describe('ids', () => {
  it('are the same for the same seed after every reset, and others for another or none', async () => {
    const reset = async (query: string) => {
      await sandbox.control('POST', `/reset${query}`)
      return (await tour(sandbox)).text
    }
    const seven = await reset('?seed=7')
    expect(await reset('?seed=7')).toBe(seven)
    expect(await reset('')).toBe(seven)
    const idsIn = (text: string) => new Set(text.match(/[\da-f]{8}-[\da-f-]{27}/g))
    const shared = (one: string, other: string) => [...idsIn(one)].filter((id) => idsIn(other).has(id))
    expect(idsIn(seven).size).toBeGreaterThan(15)
    expect(shared(await reset('?seed=8'), seven)).toEqual([])
    const none = await reset('?seed=0')
    expect(shared(none, seven)).toEqual([])
    expect(shared(await reset(''), none)).toEqual([])
  })

  it('do not depend on how many others of another kind were made before', async () => {
    await sandbox.control('POST', '/reset?seed=7')
    const first = await sandbox.createUser()
    const second = await sandbox.createUser()
    await sandbox.control('POST', '/reset')
    expect(await sandbox.createUser()).toBe(first)
    for (let count = 0; count < 3; count++) await sandbox.service('POST', '/auth/login', { user_uuid: first })
    await sandbox.createEndpoint(receiver.url)
    expect(await sandbox.createUser()).toBe(second)
  })

  it.each(['-1', '1.5', '4294967296', 'seven', '', '%20', '%0a7', '1e3', '0x7', 'null', '[]'])(
    'refuse the seed “%s” and keep the one before',
    async (seed) => {
      await sandbox.control('POST', '/reset?seed=7')
      const first = await sandbox.createUser()
      expect((await sandbox.control('POST', `/reset?seed=${seed}`)).status).toBe(400)
      await sandbox.control('POST', '/reset')
      expect(await sandbox.createUser()).toBe(first)
    },
  )

  it('follow SANDBOX_SEED on an empty database, and never repeat after a restart', async () => {
    const runs = []
    for (const database of [await createEmptyDatabase(), await createEmptyDatabase()]) {
      const settings = readEnv(testVariables(database.url, { SANDBOX_SEED: '42' }))
      const made = []
      for (let start = 0; start < 3; start++) {
        const running = await startSandbox(settings)
        const caller = createTestCaller(running.port)
        made.push(await caller.createUser(), (await caller.createEndpoint('https://127.0.0.1:9/')).uuid)
        await running.stop()
      }
      expect(new Set(made).size).toBe(6)
      runs.push(made)
      await database.drop()
    }
    expect(runs[1]).toEqual(runs[0])
  })
})
