import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { foldAgainSince } from '#lib/deliveries/queue/enqueue.ts'
import { recordOutages } from '#lib/endpoints/gaps/outages.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { foldAndRebuild, foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { beginRebuild } from './rebuild.ts'

let database: TestDatabase
let pool: pg.Pool
const [old, young] = [crypto.randomUUID(), crypto.randomUUID()]
const start = Date.UTC(2026, 10, 20, 14)
const at = (seconds: number) => new Date(start + seconds * 1000)

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
const forget = () =>
  pool.query(
    `DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM event; DELETE FROM event_delivery; DELETE FROM lease;
     DELETE FROM transaction; DELETE FROM standing; DELETE FROM identifier; DELETE FROM outage; DELETE FROM gap`,
  )
afterEach(async () => {
  await forget()
  await pool.query(
    'DELETE FROM receiver_period; DELETE FROM refused_body; DELETE FROM refusal; DELETE FROM receiver',
  )
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const body = (status: string) =>
  Buffer.from(
    JSON.stringify({
      type: 'linkBankAccount',
      subType: 'statusUpdate',
      uuid: 'u',
      data: { uuid: 'a', status },
    }),
  )

const append = (deliveries: readonly (readonly [seconds: number, status: string, receiverId: string])[]) =>
  appendPastDeliveries(
    deliveries.map(([seconds, status, receiverId]) => ({
      receivedAt: at(seconds),
      receiverId,
      body: body(status),
    })),
    pool,
  )

const period = (receiverId: string, began: Date | string, ended: Date | null, events = ['*']) =>
  pool.query('INSERT INTO receiver_period VALUES ($1, $2, $3, $4, $5)', [
    receiverId,
    began,
    ended,
    events,
    ended ?? at(0),
  ])

async function timeline() {
  const { rows } = await pool.query<{ status: string; flags: string[]; deliveries: number }>(
    'SELECT status, flags, deliveries FROM event ORDER BY position',
  )
  return rows.map(({ status, flags, deliveries }) => [status, deliveries, ...flags])
}

const kept = async () =>
  (await pool.query('SELECT others, evidence FROM event_delivery ORDER BY seq')).rows.map(
    ({ others, evidence }) => [others, evidence],
  )

test('an endpoint created later does not repeat earlier events, also after a rebuild without the log', async () => {
  await period(old, '-infinity', at(15))
  await period(young, at(15), null)
  await append([
    [0, 'ACTIVE', old],
    [10, 'DISABLED', old],
    [20, 'ACTIVE', young],
  ])
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  const expected = [
    ['ACTIVE', 1],
    ['DISABLED', 1],
    ['ACTIVE', 1],
  ]
  expect(await timeline()).toEqual(expected)
  const before = await kept()
  expect(before.map(([others]) => others)).toEqual([0, 0, 0])
  expect(before[2]?.[1]).toMatchObject({ away: [{ ended: start + 15_000 }] })
  // The deliveries keep the evidence of that time, whatever is learned or deleted later.
  await pool.query('DELETE FROM receiver_period')
  await pool.query('DELETE FROM delivery WHERE received_at < $1', [at(15)])
  await beginRebuild(pool)
  await foldAndRebuild(work)
  expect(await timeline()).toEqual(expected)
  expect(await kept()).toEqual(before)
})

test('a refused body is recognised when it is retried, and placed at its first attempt', async () => {
  await period(old, '-infinity', null)
  await append([
    [0, 'PENDING', old],
    [100, 'DISABLED', old],
    [130, 'ACTIVE', old],
  ])
  const digest = crypto.hash('sha256', body('ACTIVE'), 'buffer')
  for (const seconds of [60, 64])
    await pool.query('INSERT INTO refused_body VALUES ($1, $2, $3)', [old, digest, at(seconds)])
  await foldWaiting(await takeAllShards(pool))
  expect((await kept()).map(([, evidence]) => evidence)).toEqual([
    null,
    null,
    { refused: [start + 60_000, start + 64_000] },
  ])
  expect(await timeline()).toEqual([
    ['PENDING', 1],
    ['ACTIVE', 1, 'decisive', 'late'],
    ['DISABLED', 1],
  ])
})

test('our own downtime makes an order unsure when retry waits lead back over it', async () => {
  await period(old, '-infinity', null)
  await period(young, '-infinity', null, ['KYC'])
  await pool.query(`INSERT INTO gap (id, kind, about, began_at, ended_at) VALUES ($1, 'down', '', $2, $3)`, [
    crypto.randomUUID(),
    at(100),
    at(160),
  ])
  await append([
    [0, 'PENDING', old],
    [165, 'DISABLED', old],
    [220, 'ACTIVE', old],
  ])
  await foldWaiting(await takeAllShards(pool))
  expect((await timeline()).at(-1)).toEqual(['ACTIVE', 1, 'decisive', 'order-unsure'])
})

const now = Math.floor(Date.now() / 1_000)
const lately = (seconds: number) => now - 1_000 + seconds - start / 1_000

test('an outage that becomes known after the fold has what was received since folded again', async () => {
  await period(old, '-infinity', null)
  await append([
    [lately(0), 'PENDING', old],
    [lately(165), 'DISABLED', old],
    [lately(220), 'ACTIVE', old],
  ])
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['ACTIVE', 1])
  const outage = { began: at(lately(140)).getTime(), ended: at(lately(156)).getTime() }
  await recordOutages(pool, [{ ...outage, receiverId: young, why: 'switched-off' }])
  await foldAgainSince(pool, outage.began, [young])
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['ACTIVE', 1])
  await recordOutages(pool, [{ ...outage, receiverId: null, why: 'no-beat' }])
  await foldAgainSince(pool, outage.began, null)
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['ACTIVE', 1, 'decisive', 'order-unsure'])
  const stored = await kept()
  expect(stored.at(-1)).toEqual([0, { triedSince: outage.began }])
  // A rebuild reads the same evidence.
  await beginRebuild(pool)
  await foldAndRebuild(work)
  expect(await kept()).toEqual(stored)
})

test('a minute in which its receiver answered 503 puts an order in doubt, also where no body was read', async () => {
  await period(old, '-infinity', null)
  await pool.query(`INSERT INTO receiver (id, state) VALUES ($1, 'active')`, [old])
  await append([
    [0, 'PENDING', old],
    [165, 'DISABLED', old],
    [220, 'ACTIVE', old],
  ])
  const refuse = (why: string) =>
    pool.query(
      `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at) VALUES ($1, $2, $3, 2, $4, $5)`,
      [old, at(120), why, at(150), at(153)],
    )
  await refuse('too-large')
  await foldWaiting(await takeAllShards(pool))
  expect((await kept()).map(([, evidence]) => evidence)).toEqual([null, null, null])
  await forget()
  await refuse('database')
  await append([
    [0, 'PENDING', old],
    [165, 'DISABLED', old],
    [220, 'ACTIVE', old],
  ])
  await foldWaiting(await takeAllShards(pool))
  expect((await timeline()).at(-1)).toEqual(['ACTIVE', 1, 'decisive', 'order-unsure'])
})

test('evidence does not depend on what is folded with it', async () => {
  // The receiver was off for longer than any retry takes, and then on again.
  await period(old, '-infinity', at(-200_000))
  await period(old, at(0), null)
  const deliveries = [
    [-40_000, 'PENDING', old],
    [50, 'DISABLED', old],
  ] as const
  await append(deliveries.slice(1))
  await foldWaiting(await takeAllShards(pool))
  const alone = await kept()
  expect(alone).toMatchObject([[0, { away: [{ ended: start }], triedSince: expect.any(Number) }]])
  await forget()
  await append(deliveries)
  await foldWaiting(await takeAllShards(pool))
  expect((await kept())[1]).toEqual(alone[0])
})

test('no evidence is stored for a receiver of which nothing is known', async () => {
  await append([[0, 'ACTIVE', old]])
  await foldWaiting(await takeAllShards(pool))
  expect(await kept()).toEqual([[null, null]])
})

test('an endpoint that was disabled is known to get nothing until it was last seen so', async () => {
  await pool.query(`INSERT INTO receiver_period VALUES ($1, '-infinity', $2, '{*}', $3)`, [
    old,
    at(5),
    at(50),
  ])
  await append([[60, 'ACTIVE', old]])
  await foldWaiting(await takeAllShards(pool))
  expect(await kept()).toMatchObject([[0, { away: [{ began: start + 5_000, ended: start + 50_000 }] }]])
})
