import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Envelope } from '../state/event-types.ts'
import { startTestReceiver, startTestSandbox } from '../test/running.ts'
import { scenarios } from './catalogue.ts'

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
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
  receiver.received.length = 0
})

async function play(name: string, user_uuid: string) {
  const played = await sandbox.control('POST', '/scenarios', { name, user_uuid, speed: 1 })
  await sandbox.control('POST', '/clock/advance', { seconds: 600 })
  return { ...played.body, envelopes: receiver.received.map(({ body }) => JSON.parse(body)) }
}

const statusOf = async (uuid: string) =>
  (await sandbox.service('GET', '/user', undefined, { 'user-uuid': uuid })).body.status

describe('playing', () => {
  it.each(scenarios)('$name delivers each event, in its order', async ({ name, sends }) => {
    await sandbox.createEndpoint(receiver.url)
    const user = await sandbox.createUser()
    const { events, transaction_uuid, envelopes } = await play(name, user)
    const sent = envelopes.map(({ subType, data }: Envelope) =>
      subType === 'statusUpdate' ? data.status : subType,
    )
    expect(sent).toEqual(sends)
    expect(events).toBe(sends.length)
    for (const { data } of envelopes) expect(data.transactionUuid).toBe(transaction_uuid)
  })

  it('sends an event once although its step runs again after a crash', async () => {
    await sandbox.createEndpoint(receiver.url)
    await sandbox.control('POST', '/scenarios', {
      name: 'fiat-to-crypto',
      user_uuid: await sandbox.createUser(),
      speed: 1,
    })
    await sandbox.control('POST', '/clock/advance', { seconds: 1 })
    const database = new pg.Client({ connectionString: sandbox.databaseUrl })
    await database.connect()
    // Advancing the clock leaves a job that wakes the queue, which may not have run yet.
    const { rows } = await database.query(
      `SELECT payload FROM graphile_worker._private_jobs JOIN graphile_worker.jobs USING (id)
       WHERE task_identifier = 'play'`,
    )
    expect(rows).toHaveLength(1)
    await sandbox.control('POST', '/clock/advance', { seconds: 600 })
    await database.query(`SELECT graphile_worker.add_job('play', $1)`, [rows[0].payload])
    await database.end()
    const { body } = await sandbox.control('POST', '/clock/advance', { seconds: 1 })
    expect(body.next_due_at).toBe(null)
    expect(receiver.received).toHaveLength(4)
  })

  it('is offered with a mark where the contract does not show what such events carry', async () => {
    const { body } = await sandbox.control('GET', '/scenarios')
    expect(body).toContainEqual(expect.objectContaining({ name: 'duplicate-user', assumed: true }))
    expect(body).toContainEqual(expect.objectContaining({ name: 'fiat-account-failed', assumed: false }))
  })

  it.each([
    ['kyc', 'FULL_USER'],
    ['kyc-failed', 'HARD_KYC_FAILED'],
    ['user-suspended', 'SUSPENDED'],
    ['kyb-failed', 'CREATED'],
    ['entity-suspended', 'CREATED'],
    ['aml-failed', 'CREATED'],
  ])('%s leaves the user %s', async (name, status) => {
    const user = await sandbox.createUser()
    await play(name, user)
    expect(await statusOf(user)).toBe(status)
  })
})
