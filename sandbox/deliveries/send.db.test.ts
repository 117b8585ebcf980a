import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../test/postgres.ts'
import { openPool } from '../database/pool.ts'
import { createEndpoint, deleteEndpoint, requireEndpoint } from '../service/webhook-endpoints.ts'
import { createIds } from '../state/ids.ts'
import { OptionsSchema } from '../state/options.ts'
import { createSandboxDatabase, until } from '../test/running.ts'
import { createClock } from '../time/clock.ts'
import { emitAll } from './emit.ts'
import type { AfterAttempt } from './retry-schedule.ts'
import { type Attempt, recordAttempts } from './send.ts'

const clock = createClock({ sandboxAt: new Date(), realAt: new Date(), speed: 1, frozen: false })
let database: TestDatabase
let pool: pg.Pool
beforeAll(async () => {
  database = await createSandboxDatabase()
  pool = openPool(database.url)
  // The database stops while connections of an ended pool are still closing.
  pool.on('error', () => undefined)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const newEndpoint = async () =>
  (
    await createEndpoint(
      pool,
      createIds(),
      { url: 'https://merchant.example/hook', description: 'Test' },
      clock.now(),
    )
  ).uuid

/** Each attempt belongs to a new delivery and has one of these outcomes, in order. */
async function attemptsOf(endpointUuid: string, outcomes: AfterAttempt[]): Promise<Attempt[]> {
  const envelope = { type: 'KYC', subType: 'x', uuid: randomUUID(), data: {} } as const
  const events = outcomes.map(() => ({ id: randomUUID(), envelope }))
  await emitAll(pool, clock, events, endpointUuid)
  const { rows } = await pool.query(
    'SELECT id, number FROM delivery WHERE endpoint_uuid = $1 AND attempts = 0',
    [endpointUuid],
  )
  return outcomes.map((next, index) => ({
    endpointUuid,
    deliveryId: rows[index].id,
    deliveryNumber: rows[index].number,
    number: next.state === 'lost' ? 7 : 1,
    url: 'https://merchant.example/hook',
    startedAt: clock.now(),
    endedAt: clock.now(),
    durationMs: 1,
    answer: { kind: 'answered', status: 200, body: '' },
    next,
  }))
}

const record = (attempts: Attempt[], autoDisableAfter = 3) =>
  recordAttempts({ pool, options: OptionsSchema.parse({ autoDisableAfter }) }, attempts)

const lost: AfterAttempt = { state: 'lost' }
const delivered: AfterAttempt = { state: 'delivered' }
const waiting: AfterAttempt = { state: 'waiting', delaySeconds: 3 }

describe('attempts that are kept together', () => {
  it.each([
    ['are lost, as many as it takes', 'auto_disabled', [lost, lost, lost]],
    ['are lost, fewer than it takes', 'active', [lost, lost]],
    ['are lost, with others that wait', 'auto_disabled', [lost, waiting, lost, waiting, lost]],
    ['are lost, but for one in between', 'active', [lost, lost, delivered, lost, lost]],
    ['are lost after one that got through', 'auto_disabled', [delivered, lost, lost, lost]],
    ['wait', 'active', [waiting, waiting, waiting]],
  ])('and %s: the endpoint is %s', async (_case, status, outcomes) => {
    const uuid = await newEndpoint()
    await record(await attemptsOf(uuid, outcomes))
    expect((await requireEndpoint(pool, uuid)).status).toBe(status)
  })

  it('count on from those before, each for its own endpoint', async () => {
    const [one, other] = [await newEndpoint(), await newEndpoint()]
    await record([...(await attemptsOf(one, [lost, lost])), ...(await attemptsOf(other, [lost, lost]))])
    await record([...(await attemptsOf(one, [delivered, lost])), ...(await attemptsOf(other, [lost]))])
    expect((await requireEndpoint(pool, one)).status).toBe('active')
    expect((await requireEndpoint(pool, other)).status).toBe('auto_disabled')
  })

  it('never switch an endpoint off where that is off', async () => {
    const uuid = await newEndpoint()
    await record(await attemptsOf(uuid, [lost, lost, lost, lost]), 0)
    expect((await requireEndpoint(pool, uuid)).status).toBe('active')
  })

  it('leave one that was disabled as it is', async () => {
    const uuid = await newEndpoint()
    const attempts = await attemptsOf(uuid, [lost, lost, lost])
    await pool.query(`UPDATE webhook_endpoint SET status = 'disabled' WHERE uuid = $1`, [uuid])
    await record(attempts)
    expect((await requireEndpoint(pool, uuid)).status).toBe('disabled')
  })

  it('are kept though an endpoint among theirs was deleted meanwhile', async () => {
    const [kept, deleted] = [await newEndpoint(), await newEndpoint()]
    const attempts = [
      ...(await attemptsOf(deleted, [waiting, lost])),
      ...(await attemptsOf(kept, [delivered])),
    ]
    await deleteEndpoint(pool, deleted)
    await record(attempts)
    const { rows } = await pool.query('SELECT delivery_id FROM attempt WHERE delivery_id = ANY ($1)', [
      attempts.map(({ deliveryId }) => deliveryId),
    ])
    expect(rows).toEqual([{ delivery_id: attempts[2]?.deliveryId }])
  })

  it('change nothing after a reset made a new delivery with the same id', async () => {
    const uuid = await newEndpoint()
    const attempts = await attemptsOf(uuid, [lost])
    await pool.query('UPDATE delivery SET number = DEFAULT WHERE endpoint_uuid = $1', [uuid])
    await record(attempts, 1)
    const { rows } = await pool.query('SELECT state, attempts FROM delivery WHERE endpoint_uuid = $1', [uuid])
    expect(rows).toEqual([{ state: 'waiting', attempts: 0 }])
    expect((await requireEndpoint(pool, uuid)).status).toBe('active')
  })

  it('wait for an endpoint that is being deleted without blocking the deletion', async () => {
    const uuid = await newEndpoint()
    const attempts = await attemptsOf(uuid, [lost])
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query('SELECT 1 FROM webhook_endpoint WHERE uuid = $1 FOR UPDATE', [uuid])
    const recorded = record(attempts)
    await until(async () => {
      const { rowCount } = await pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return rowCount === 1
    }, 'the attempts to wait')
    await deleteEndpoint(other, uuid)
    await other.query('COMMIT')
    other.release()
    await recorded
  })

  it('are kept whatever they were answered', async () => {
    const uuid = await newEndpoint()
    const attempts = await attemptsOf(uuid, [delivered, delivered, waiting])
    const answers: Attempt['answer'][] = [
      { kind: 'answered', status: 200, body: 'a NUL \u0000 and half a smile \ud83d' },
      { kind: 'answered', status: 204, body: '' },
      { kind: 'unanswered', failure: 'ECONNREFUSED' },
    ]
    await record(attempts.map((attempt, index) => ({ ...attempt, answer: answers[index] ?? attempt.answer })))
    const kept = async (index: number) => {
      const { rows } = await pool.query(
        'SELECT status, answer, failure FROM attempt WHERE delivery_id = $1',
        [attempts[index]?.deliveryId],
      )
      return rows
    }
    expect(await kept(0)).toEqual([
      { status: 200, answer: 'a NUL \ufffd and half a smile \ufffd', failure: null },
    ])
    expect(await kept(1)).toEqual([{ status: 204, answer: '', failure: null }])
    expect(await kept(2)).toEqual([{ status: null, answer: null, failure: 'ECONNREFUSED' }])
  })
})
