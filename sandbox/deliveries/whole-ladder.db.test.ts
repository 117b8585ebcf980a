import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let database: pg.Client
beforeAll(async () => {
  sandbox = await startTestSandbox({ SANDBOX_AUTO_DISABLE_AFTER: '2' })
  database = new pg.Client({ connectionString: sandbox.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await sandbox.stop()
})

/** Makes what waits due now: the delivery, and the queue's job for it. */
async function skipWait() {
  await database.query(`update delivery set due_at = now() - interval '1 second' where state = 'waiting'`)
  await database.query(
    `select graphile_worker.reschedule_jobs(array_agg(id), now()) from graphile_worker.jobs`,
  )
}

describe('§6.8, played to its end', () => {
  it('seven attempts, n^6 + 2 seconds apart, and the event is not sent again', async () => {
    const receiver = await startReceiver(() => 500)
    const { uuid } = await sandbox.createEndpoint(receiver.url)
    const latest = async () => (await sandbox.control('GET', `/deliveries?endpoint=${uuid}`)).body[0]
    const attempted = (times: number) =>
      until(async () => {
        const delivery = await latest()
        return delivery?.attempts_made === times && delivery
      }, `attempt ${times}`)
    const user = await sandbox.createUser()
    const send = () => sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid: user, data: {} })
    const status = async () =>
      (await sandbox.service('GET', `/merchant/webhook-endpoints/${uuid}`)).body.status

    await send()
    for (const [attempts, wait] of [
      [1, 3],
      [2, 66],
      [3, 731],
      [4, 4_098],
      [5, 15_627],
      [6, 46_658],
    ] as const) {
      const delivery = await attempted(attempts)
      const { started_at, duration_ms } = delivery.attempts.at(-1)
      const waited = (Date.parse(delivery.next_attempt_at) - Date.parse(started_at) - duration_ms) / 1000
      expect(waited).toBeGreaterThan(wait - 0.01)
      expect(waited).toBeLessThan(wait + 0.5)
      await skipWait()
    }
    expect(await attempted(7)).toMatchObject({ state: 'lost', next_attempt_at: null })
    const { rows } = await database.query('select 1 from graphile_worker.jobs where locked_by is null')
    expect(rows).toEqual([])
    expect(receiver.received).toHaveLength(7)
    expect(await status()).toBe('active')

    await send()
    for (let attempts = 1; attempts <= 6; attempts++) {
      await attempted(attempts)
      await skipWait()
    }
    await attempted(7)
    expect(await status()).toBe('auto_disabled')
    expect((await send()).body.deliveries).toBe(0)
    const revived = await sandbox.service('PATCH', `/merchant/webhook-endpoints/${uuid}`, {
      status: 'active',
    })
    expect(revived.body.status).toBe('active')
    expect((await send()).body.deliveries).toBe(1)
    await receiver.stop()
  })
})
