import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { foldAgainSince, foldLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { recordRefusals } from '#lib/endpoints/gaps/close-settled-gaps.ts'
import { recordOutages } from '#lib/endpoints/gaps/outages.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
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
     DELETE FROM transaction; DELETE FROM standing; DELETE FROM identifier; DELETE FROM outage; DELETE FROM gap;
     DELETE FROM setting WHERE key LIKE 'fold-again:%'`,
  )
afterEach(async () => {
  await forget()
  await pool.query(
    `DELETE FROM receiver_period; DELETE FROM refused_body; DELETE FROM refusal; DELETE FROM receiver;
     DELETE FROM watched_endpoint`,
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

const kyc = (status: string) =>
  Buffer.from(JSON.stringify({ type: 'KYC', subType: 'statusUpdate', uuid: 'u', data: { status } }))

const append = (
  deliveries: readonly (readonly [seconds: number, status: string, receiverId: string])[],
  bodyOf = body,
) =>
  appendPastDeliveries(
    deliveries.map(([seconds, status, receiverId]) => ({
      receivedAt: at(seconds),
      receiverId,
      body: bodyOf(status),
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

test.each(['down', 'restored', 'silent'])(
  'a gap of kind %s makes an order unsure when retry waits lead back over it, unless a person found it to be none',
  async (kind) => {
    await period(old, '-infinity', null)
    await period(young, '-infinity', null, ['KYC'])
    for (const outcome of ['no-gap', null]) {
      await forget()
      await pool.query(
        `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome) VALUES ($1, $2, '', $3, $4, $5)`,
        [crypto.randomUUID(), kind, at(100), at(160), outcome],
      )
      await append([
        [0, 'PENDING', old],
        [165, 'DISABLED', old],
        [220, 'ACTIVE', old],
      ])
      await foldWaiting(await takeAllShards(pool))
      expect((await timeline()).at(-1)).toEqual([
        'ACTIVE',
        1,
        ...(outcome ? [] : ['decisive', 'order-unsure']),
      ])
    }
  },
)

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
  await inTransaction(pool, (tx) =>
    recordOutages(tx, [{ ...outage, receiverId: young, why: 'switched-off' }]),
  )
  await foldLearnt(pool)
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['ACTIVE', 1])
  await inTransaction(pool, (tx) => recordOutages(tx, [{ ...outage, receiverId: null, why: 'no-beat' }]))
  await foldLearnt(pool)
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

test.each([
  ['which is still awaited while the one before is taken', -1_000, []],
  ['before it became known', 158, ['decisive', 'order-unsure']],
  ['when it had just changed', 100, ['decisive', 'order-unsure']],
])('a minute in which its receiver did not know a secret, %s', async (_, changed, flags) => {
  await period(old, '-infinity', null)
  await pool.query(
    `INSERT INTO receiver (id, state, created_at, updated_at) VALUES ($1, 'rotating', $2, $3)`,
    [old, at(-2_000), at(changed)],
  )
  await append([
    [0, 'PENDING', old],
    [165, 'DISABLED', old],
    [220, 'ACTIVE', old],
  ])
  await pool.query(
    `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at)
     VALUES ($1, $2, 'secret-not-known-yet', 2, $3, $4)`,
    [old, at(120), at(150), at(153)],
  )
  await foldWaiting(await takeAllShards(pool))
  expect((await timeline()).at(-1)).toEqual(['ACTIVE', 1, ...flags])
})

/** The receiver was called with a wrong secret at these times, and last changed at another. Seconds after 100 min ago. */
async function callWithWrongSecrets(times: readonly number[], changed = -80_000, why = 'wrong-secret') {
  await pool.query(`INSERT INTO receiver (id, state, created_at, updated_at) VALUES ($1, 'active', $2, $3)`, [
    old,
    at(ago(-90_000)),
    at(ago(changed)),
  ])
  for (const seconds of times)
    await pool.query(
      `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at)
       VALUES ($1, date_trunc('minute', $2::timestamptz), $3, 1, $2, $2)
       ON CONFLICT (receiver_id, minute, why) DO UPDATE SET last_at = EXCLUDED.last_at`,
      [old, at(ago(seconds)), why],
    )
  await recordGaps()
}
const recordGaps = () => inTransaction(pool, (client) => recordRefusals(client, now * 1_000))
const ago = (seconds: number) => lately(seconds - 5_000)
const verified = [
  [ago(-600), 'KYC_NEEDED', old],
  [ago(1_500), 'FULL_USER', old],
  [ago(4_898), 'KYC_PENDING', old],
] as const

test('a time in which the service had a wrong secret puts an order in doubt, also when it is learnt later', async () => {
  await period(old, '-infinity', null)
  await append(verified, kyc)
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1])
  await callWithWrongSecrets([0, 3, 69, 800], 1_210)
  await foldLearnt(pool)
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1, 'decisive', 'order-unsure'])
  expect((await kept()).at(-1)).toEqual([0, { triedSince: at(ago(-2)).getTime() }])
  // Nothing new is learnt in the next round.
  await recordGaps()
  await foldLearnt(pool)
  expect((await pool.query('SELECT FROM delivery_pending')).rowCount).toBe(0)
  // A person found that somebody else had called, and then that nobody had.
  for (const [outcome, ...flags] of [['no-gap'], [null, 'decisive', 'order-unsure']]) {
    await pool.query('UPDATE gap SET outcome = $1', [outcome])
    await foldAgainSince(pool, at(ago(0)).getTime(), null)
    await foldWaiting(work)
    expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1, ...flags])
  }
})

test('a time in which an endpoint pointed at a closed address puts an order in doubt', async () => {
  await period(old, '-infinity', null)
  await append(verified, kyc)
  await pool.query(
    `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status, last_active_at, events)
     VALUES (gen_random_uuid(), $1, 'Ours', 'active', now(), '{*}')`,
    [old],
  )
  await callWithWrongSecrets([0, 3, 69, 800], 1_210, 'unknown-receiver')
  expect((await pool.query('SELECT kind FROM gap')).rows).toEqual([{ kind: 'refused' }])
  await foldWaiting(await takeAllShards(pool))
  expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1, 'decisive', 'order-unsure'])
})

test('wrong secrets for so long that all attempts may have been refused put an order in doubt, whatever came afterwards', async () => {
  await period(old, '-infinity', null)
  await append([[ago(-70_100), 'KYC_NEEDED', old], ...verified.slice(1)], kyc)
  await callWithWrongSecrets([3, ...Array.from({ length: 178 }, (_, index) => 800 - index * 400)])
  await foldWaiting(await takeAllShards(pool))
  expect((await pool.query('SELECT kind, outcome FROM gap')).rows).toEqual([
    { kind: 'refused', outcome: null },
  ])
  expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1, 'decisive', 'order-unsure'])
})

test('wrong secrets are no evidence when a stranger sent them, nor what is never taken', async () => {
  await period(old, '-infinity', null)
  await append(verified, kyc)
  await append([5, 60, 100, 850].map((seconds) => [ago(seconds), 'ACTIVE', old]))
  await callWithWrongSecrets([0, 3, 69, 800])
  expect((await pool.query('SELECT FROM gap')).rowCount).toBe(0)
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1])
  await pool.query(`UPDATE refusal SET why = 'too-large'`)
  await recordGaps()
  expect((await pool.query('SELECT kind FROM gap')).rows).toEqual([{ kind: 'refused' }])
  await foldAgainSince(pool, at(ago(-600)).getTime(), null)
  await foldWaiting(work)
  expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1])
})

/** The last state may be a retry that was first sent before the other. */
const sent = [
  [ago(0), 'KYC_NEEDED', old],
  [ago(120), 'FULL_USER', old],
  [ago(139), 'KYC_PENDING', old],
] as const

test.each([
  ['two calls 3 s apart', [70, 73], -80_000],
  ['two calls 67 s apart', [5, 72], -80_000],
  ['a call just before the secret was rotated', [72], 75],
])(
  '%s, with nothing taken in between, may be a stranger’s, and put nothing in doubt',
  async (_, calls, changed) => {
    await period(old, '-infinity', null)
    await append(sent, kyc)
    await callWithWrongSecrets(calls, changed)
    expect((await pool.query('SELECT FROM gap')).rowCount).toBe(0)
    await foldWaiting(await takeAllShards(pool))
    expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1])
  },
)

test.each([
  ['a gap that closed by itself', 'no-gap', 'Rampart'],
  ['a gap that a person found to be none', 'no-gap', crypto.randomUUID()],
  ['a gap in which a person found nothing missing', 'nothing-missing', crypto.randomUUID()],
  ['an open gap', null, null],
])('attempts that were refused within %s', async (_, outcome, by) => {
  await period(old, '-infinity', null)
  await append(sent, kyc)
  await callWithWrongSecrets([70, 73])
  await pool.query(
    `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, reason, closed_by, closed_at)
     VALUES ($1, 'refused', $2, $3, $4, $5, 'a test', $6, now())`,
    [crypto.randomUUID(), old, at(ago(70)), at(ago(73)), outcome, by],
  )
  await foldWaiting(await takeAllShards(pool))
  const doubts = outcome === 'no-gap' ? [] : ['decisive', 'order-unsure']
  expect((await timeline()).at(-1)).toEqual(['KYC_PENDING', 1, ...doubts])
})

test.each([
  ['20 s', 20],
  ['4 min', 240],
])(
  'a stranger who calls twice a minute marks no subject while a delivery is taken every %s',
  async (_, pace) => {
    await period(old, '-infinity', null)
    const hour = Array.from({ length: 60 }, (_, minute) => minute * 60)
    const taken = Array.from(
      { length: 3_600 / pace },
      (_, index) => [ago(index * pace), 'ACTIVE', old] as const,
    )
    await append(taken)
    for (const [index, state] of ['KYC_NEEDED', 'FULL_USER', 'KYC_PENDING'].entries())
      await append(
        hour.map((second) => [ago(second + index * 1_800), `${second} ${state}`, old]),
        (text) => {
          const [uuid, status] = text.split(' ')
          return Buffer.from(JSON.stringify({ type: 'KYC', subType: 'statusUpdate', uuid, data: { status } }))
        },
      )
    await callWithWrongSecrets(
      [...hour, ...hour.map((second) => second + 3_600)].flatMap((at) => [at + 5, at + 7]),
    )
    await foldLearnt(pool)
    await foldWaiting(await takeAllShards(pool))
    expect((await pool.query('SELECT FROM gap')).rowCount).toBe(0)
    const { rows } = await pool.query(`SELECT count(DISTINCT subject_id)::int AS all,
    count(*) FILTER (WHERE type = 'KYC' AND flags <> '{}')::int AS marked FROM event`)
    expect(rows).toEqual([{ all: 61, marked: 0 }])
  },
)

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
