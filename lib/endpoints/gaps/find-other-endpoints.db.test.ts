import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { ensureDeliveryPartitions, firstUuidv7, uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { admin, createHere } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { forgetAll, onlyGap, set, watch } from '../../../test/watched.ts'
import { OTHERS } from './gap-view.ts'
import { getGap } from './gaps.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await ensureDeliveryPartitions(env().databaseUrl)
})
afterAll(() => service.stop())
beforeEach(forgetAll)

/** The deliveries arrive now, or `minutesAgo`. */
async function deliver(receiverId: string, count: number, minutesAgo = 0) {
  const at = Date.now() - minutesAgo * 60_000
  const ids = Array.from({ length: count }, () => uuidv7Of(new Date(at)))
  await pool().query(
    `INSERT INTO delivery (id, receiver_id, received_at, body) SELECT unnest($1::uuid[]), $2, $3, '{}'`,
    [ids, receiverId, new Date(at)],
  )
}

/** One endpoint has been off for ten minutes; another is active. */
async function offBeside(ofOff: EventType[] | null, ofOther: EventType[] | null) {
  const off = await createHere({ description: 'Off', subscribedEvents: ofOff })
  const other = await createHere({ description: 'Other', subscribedEvents: ofOther })
  await pool().query(`UPDATE receiver SET created_at = now() - interval '1 day'`)
  await watch()
  await set(off.endpointUuid, 'disabled')
  await watch()
  await pool().query(`UPDATE gap SET began_at = now() - interval '10 minutes'`)
  return { off, other }
}

const others = async () => (await onlyGap()).otherEndpoints

describe('an endpoint that delivers while another is off', () => {
  it('is listed with its number of deliveries, and counts as a substitute with the same subscriptions', async () => {
    const { other } = await offBeside(null, null)
    expect(await others()).toEqual([])
    await deliver(other.receiverId, 3, 20)
    expect(await others()).toEqual([])
    await deliver(other.receiverId, 2)
    expect(await others()).toEqual([
      {
        uuid: other.endpointUuid,
        name: 'Other',
        deliveries: 2,
        exact: true,
        isFullSubstitute: true,
        hadGap: false,
      },
    ])
    await deliver(other.receiverId, 1200, 5)
    expect(await others()).toMatchObject([{ deliveries: 1000, exact: false }])
  })

  it.each<[EventType[] | null, EventType[] | null, boolean]>([
    [['KYC'], null, true],
    [['KYC'], ['KYC', 'AML'], true],
    [['KYC', 'AML'], ['KYC'], false],
    [null, ['KYC'], false],
  ])('subscribed to %j is replaced by one subscribed to %j: %j', async (ofOff, ofOther, isFullSubstitute) => {
    const { other } = await offBeside(ofOff, ofOther)
    await deliver(other.receiverId, 1)
    expect(await others()).toMatchObject([{ isFullSubstitute }])
  })

  it.each([
    ['it was made later', `UPDATE receiver SET created_at = now()`],
    [
      'its events changed since',
      `UPDATE watched_endpoint SET events_changed_at = now() WHERE name = 'Other'`,
    ],
    [
      'the events of the other changed since',
      `UPDATE watched_endpoint SET events_changed_at = now() WHERE name = 'Off'`,
    ],
    [
      'it had a gap of its own',
      `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, closed_at)
       SELECT gen_random_uuid(), 'refused', receiver_id, now() - interval '1 hour', now() - interval '5 minutes',
              'some-missing', now()
       FROM watched_endpoint WHERE name = 'Other'`,
    ],
    [
      'nothing is said to be missing of a gap of its own before that was over',
      `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, closed_at)
       SELECT gen_random_uuid(), 'refused', receiver_id, now() - interval '1 hour', now() - interval '5 minutes',
              'recovered', now() - interval '6 minutes'
       FROM watched_endpoint WHERE name = 'Other'`,
    ],
    [
      'one of two gaps of its own is open',
      `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, closed_at)
       SELECT gen_random_uuid(), 'refused', receiver_id, now() - interval '5 minutes', now() - interval '5 minutes',
              outcome, CASE WHEN outcome IS NOT NULL THEN now() END
       FROM watched_endpoint, unnest('{recovered,NULL}'::text[]) AS outcome WHERE name = 'Other'`,
    ],
    [
      'nothing was taken for a while',
      `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, closed_at)
       VALUES (gen_random_uuid(), 'down', '', now() - interval '6 minutes', now() - interval '5 minutes',
               'recovered', now())`,
    ],
  ])('is no substitute when %s', async (_name, sql) => {
    const { other } = await offBeside(null, null)
    await deliver(other.receiverId, 1)
    await pool().query(sql)
    const { rows } = await pool().query(`SELECT id FROM gap WHERE kind = 'disabled'`)
    expect((await getGap(admin, rows[0]?.id))?.otherEndpoints).toMatchObject([{ isFullSubstitute: false }])
  })
})

describe('an endpoint with its own gap that is over and filled', () => {
  const close = (outcome: string) =>
    pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, closed_at)
       SELECT gen_random_uuid(), 'deferred', receiver_id, now() - interval '10 minutes', now() - interval '5 minutes', $1, now()
       FROM watched_endpoint WHERE name = 'Other'`,
      [outcome],
    )
  async function othersOfOff() {
    const { rows } = await pool().query(`SELECT id FROM gap WHERE kind = 'disabled'`)
    return (await getGap(admin, rows[0]?.id))?.otherEndpoints
  }

  it('is a substitute for one with fewer types, when it brought something outside its own gap, or both gaps are as long', async () => {
    const { other } = await offBeside(['KYC'], null)
    await close('recovered')
    const made = { uuid: other.endpointUuid, isFullSubstitute: true, hadGap: true }
    // Nothing shows that the other endpoint was sent anything after its gap.
    expect(await othersOfOff()).toEqual([])
    await pool().query(
      `UPDATE gap SET began_at = now() - interval '9 minutes', ended_at = now() - interval '6 minutes' WHERE kind = 'disabled'`,
    )
    expect(await othersOfOff()).toMatchObject([{ ...made, deliveries: 0 }])
    await pool().query(`UPDATE gap SET ended_at = NULL WHERE kind = 'disabled'`)
    await deliver(other.receiverId, 2)
    expect(await othersOfOff()).toMatchObject([{ ...made, deliveries: 2 }])
  })

  it('is no substitute when the outcome of its own gap is that nothing was missing', async () => {
    const { other } = await offBeside(['KYC'], null)
    await close('nothing-missing')
    await deliver(other.receiverId, 2)
    expect(await othersOfOff()).toMatchObject([{ isFullSubstitute: false }])
  })

  it('is no substitute for one that is sent more types, and is not listed when it brought nothing', async () => {
    const { other } = await offBeside(null, ['KYC'])
    await close('recovered')
    expect(await othersOfOff()).toEqual([])
    await deliver(other.receiverId, 2)
    expect(await othersOfOff()).toMatchObject([{ isFullSubstitute: false }])
  })
})

it('counts by the index of a receiver, and only up to the limit', async () => {
  const { other } = await offBeside(null, null)
  await deliver(other.receiverId, 20_000, 5)
  await pool().query('ANALYZE delivery')
  const [began, ends] = [firstUuidv7(Date.now() - 600_000), firstUuidv7(Date.now() + 1)]
  const { rows } = await pool().query(`EXPLAIN (ANALYZE, FORMAT JSON) ${OTHERS.text}`, [
    [crypto.randomUUID()],
    [(await onlyGap()).endpoint?.uuid],
    [new Date(Date.now() - 600_000)],
    [null],
    1001,
    [began],
    [ends],
    began,
    ends,
  ])
  const plan = JSON.stringify(rows)
  // PostgreSQL plans with the partition of this month only, not with every month that has a table.
  expect(plan).not.toContain('delivery_default')
  expect(plan).toMatch(/delivery_\w*receiver_id_id_idx/)
  expect(plan).not.toMatch(/"Actual Rows":\s*20000/)
})
