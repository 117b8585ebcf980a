import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { appendPastDeliveries } from '../ingest/insert-deliveries.ts'
import { retryWindowSeconds } from '../rules/retry-schedule.ts'
import { requeueForRun } from './enqueue.ts'
import { foldAgainSince } from './fold-again.ts'
import { readLongestWait, readQueueState, requeueDeadLetters } from './read-queue-state.ts'
import { lowestId, type PendingDelivery, removeFolded, takeNew, takeRequeued } from './take.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url, 2)
})
beforeEach(() => pool.query('DELETE FROM delivery; DELETE FROM delivery_pending'))
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('a run requeues folded deliveries and dead letters, and leaves waiting ones unchanged', async () => {
  const [fresh, ofOther, dead, folded] = Array.from({ length: 4 }, () => crypto.randomUUID())
  const [other, run] = [crypto.randomUUID(), crypto.randomUUID()]
  await pool.query(
    `INSERT INTO delivery_pending (delivery_id, run, dead_lettered_at, error)
     VALUES ($1, NULL, NULL, NULL), ($2, $4, NULL, NULL), ($3, NULL, now(), 'a bug')`,
    [fresh, ofOther, dead, other],
  )
  await pool.query(requeueForRun([fresh, ofOther, dead, folded].map(String), run))
  const { rows } = await pool.query<{ id: string }>(
    'SELECT delivery_id AS id, run, dead_lettered_at AS died, error FROM delivery_pending',
  )
  expect(new Map(rows.map(({ id, ...row }) => [id, row]))).toEqual(
    new Map([
      [fresh, { run: null, died: null, error: null }],
      [ofOther, { run: other, died: null, error: null }],
      [dead, { run, died: null, error: null }],
      [folded, { run, died: null, error: null }],
    ]),
  )
})

const receiver = crypto.randomUUID()
const receive = (...secondsAgo: readonly number[]) =>
  appendPastDeliveries(
    secondsAgo.map((ago) => ({
      receivedAt: new Date(Date.now() - ago * 1_000),
      receiverId: receiver,
      body: Buffer.from('{}'),
    })),
    pool,
  )
const everything = { max: 10, shards: 1, held: null, from: lowestId, except: [] }

test('new evidence requeues nothing from before the retry window, however early it began', async () => {
  const [, , inside, lately] = await receive(40 * 86_400, retryWindowSeconds + 120, 18 * 3_600, 60)
  await pool.query('DELETE FROM delivery_pending')
  await foldAgainSince(pool, 0, [crypto.randomUUID()])
  expect((await pool.query('SELECT FROM delivery_pending')).rowCount).toBe(0)
  for (const receivers of [[receiver], null]) {
    await foldAgainSince(pool, 0, receivers)
    const { rows } = await pool.query('SELECT delivery_id AS id FROM delivery_pending ORDER BY 1')
    expect(rows.map(({ id }) => id)).toEqual([inside, lately])
  }
})

test('what is new is taken before what is queued again, which has waited since then only', async () => {
  const [early, dead, ofRun] = await receive(3_600, 3_000, 2_000)
  await pool.query('DELETE FROM delivery_pending')
  expect(await readLongestWait(pool)).toBeNull()
  await pool.query(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) VALUES ($1, now(), 'a bug')`,
    [dead],
  )
  await pool.query(requeueForRun([String(ofRun)], crypto.randomUUID()))
  await requeueDeadLetters(pool)
  await foldAgainSince(pool, 0, null)
  expect(await readQueueState(pool)).toMatchObject({ waiting: 2, deadLetters: 0 })
  expect((await readQueueState(pool)).oldestSeconds).toBeLessThan(30)
  const [fresh] = await receive(60)
  expect((await takeNew(pool, everything)).map(({ id }) => id)).toEqual([fresh])
  expect((await takeRequeued(pool, everything)).map(({ id }) => id)).toEqual([early, dead, ofRun])
  // A delivery that waits since it was received stays new, whatever is learnt meanwhile.
  await foldAgainSince(pool, 0, null)
  expect((await takeNew(pool, everything)).map(({ id }) => id)).toEqual([fresh])
  expect((await readLongestWait(pool))?.seconds).toBeGreaterThan(59)
  await pool.query('UPDATE delivery_pending SET requeued_at = requeued_at - $1::interval', ['90 s'])
  expect((await readQueueState(pool)).oldestSeconds).toBeGreaterThan(89)
})

test('a fold that began before new evidence leaves its deliveries in the queue, each in its place', async () => {
  const take = async () => ({
    fresh: await takeNew(pool, everything),
    again: await takeRequeued(pool, everything),
  })
  const idsOf = (taken: readonly PendingDelivery[]) => taken.map(({ id }) => id)
  const [early, ofRun] = await receive(3_600, 3_000)
  await pool.query('DELETE FROM delivery_pending')
  await pool.query(requeueForRun([String(ofRun)], crypto.randomUUID()))
  await foldAgainSince(pool, 0, null)
  const [fresh] = await receive(60)
  // The evidence comes more than once while a fold reads.
  for (const times of [1, 2, 3]) {
    const taken = await take()
    for (let time = 0; time < times; time++) await foldAgainSince(pool, 0, null)
    for (const statement of removeFolded([...taken.fresh, ...taken.again])) await pool.query(statement)
    expect(idsOf((await take()).fresh)).toEqual([fresh])
    expect(idsOf((await take()).again)).toEqual([early, ofRun])
    expect((await readLongestWait(pool))?.seconds).toBeGreaterThan(59)
  }
  const { fresh: last, again } = await take()
  for (const statement of removeFolded([...last, ...again])) await pool.query(statement)
  expect((await pool.query('SELECT FROM delivery_pending')).rowCount).toBe(0)
})
