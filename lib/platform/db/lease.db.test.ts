import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { inTransaction } from './in-transaction.ts'
import { acquireLeases, Job, newHolder, releaseLeases, renewLeases, sweepLeases } from './lease.ts'
import { openPool } from './pool.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
beforeEach(() => pool.query('DELETE FROM lease'))
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const goodFor = 60_000
const [one, other] = [newHolder(), newHolder()]

const tryToAcquire = async (holder: string) => (await acquireLeases(pool, ['work'], holder, goodFor))[0]

async function acquire(holder: string) {
  const lease = await tryToAcquire(holder)
  if (!lease) throw new Error('The lease is held')
  return lease
}

const expire = () => pool.query(`UPDATE lease SET expires_at = clock_timestamp() - interval '1 ms'`)

test('a second process waits until a lease has expired, and the former holder cannot renew it', async () => {
  const lease = await acquire(one)
  expect(await tryToAcquire(other)).toBeUndefined()
  await expire()
  expect(await renewLeases(pool, [lease], goodFor)).toBe(true)
  expect(await tryToAcquire(other)).toBeUndefined()
  await expire()
  expect((await acquire(other)).epoch).toBe(lease.epoch + 1n)
  expect(await renewLeases(pool, [lease], goodFor)).toBe(false)
  await releaseLeases(pool, [lease])
  expect(await tryToAcquire(one)).toBeUndefined()
})

test('the same holder may take the lease again at once, and its earlier epoch can no longer write', async () => {
  const before = await acquire(one)
  const after = await acquire(one)
  expect(await renewLeases(pool, [before], goodFor)).toBe(false)
  expect(await renewLeases(pool, [after], goodFor)).toBe(true)
})

test("a lease from before the database's clock went back counts as expired", async () => {
  const lease = await acquire(one)
  await pool.query(`UPDATE lease SET expires_at = expires_at + interval '1 hour'`)
  expect((await acquire(other)).epoch).toBe(lease.epoch + 1n)
  expect(await tryToAcquire(one)).toBeUndefined()
})

test('a lease that is renewed in time is never taken over, however often another process tries', async () => {
  const lease = await acquire(one)
  let renewing = true
  const renewals = (async () => {
    while (renewing) if (!(await renewLeases(pool, [lease], goodFor))) return false
    return true
  })()
  for (let tries = 0; tries < 500; tries++) expect(await tryToAcquire(other)).toBeUndefined()
  renewing = false
  expect(await renewals).toBe(true)
})

test('of several leases, the free ones are acquired, each with its own epoch', async () => {
  await acquire(other)
  const taken = await acquireLeases(pool, ['more', 'work', 'yet-more'], one, goodFor)
  expect(taken.map(({ name, epoch }) => [name, epoch])).toEqual([
    ['more', 1n],
    ['yet-more', 1n],
  ])
  await pool.query(`UPDATE lease SET epoch = 7 WHERE name = 'more'`)
  expect(await renewLeases(pool, taken, goodFor)).toBe(false)
  expect(await renewLeases(pool, taken.slice(1), goodFor)).toBe(true)
})

test('leases that expired long ago are deleted; newer ones and those with other names stay', async () => {
  await acquireLeases(pool, ['run:1', 'run:2', 'work'], one, goodFor)
  await pool.query(`UPDATE lease SET expires_at = now() - interval '2 hours' WHERE name <> 'run:2'`)
  await sweepLeases(pool, 'run:')
  expect((await pool.query('SELECT name FROM lease ORDER BY name')).rows).toEqual([
    { name: 'run:2' },
    { name: 'work' },
  ])
})

test('trying to take a held lease neither locks nor writes its row', async () => {
  await acquire(one)
  const row = async () => (await pool.query('SELECT xmin::text, xmax::text, ctid::text FROM lease')).rows
  const before = await row()
  for (let tries = 0; tries < 5; tries++) await tryToAcquire(other)
  expect(await row()).toEqual(before)
})

test('a job is held by one process, which writes no more once another has taken it over', async () => {
  const [mine, others] = [new Job('job', goodFor), new Job('job', goodFor)]
  const hold = (job: Job) => inTransaction(pool, (tx) => job.hold(tx))
  expect(await hold(mine)).toBe(false)
  expect(await mine.take(pool)).toBe(true)
  expect(await others.take(pool)).toBe(false)
  expect([await hold(mine), await hold(others)]).toEqual([true, false])
  await expire()
  expect(await others.take(pool)).toBe(true)
  expect([await hold(mine), await hold(others)]).toEqual([false, true])
  await mine.release(pool)
  expect(await mine.take(pool)).toBe(false)
  await others.release(pool)
  expect(await hold(others)).toBe(false)
  expect(await mine.take(pool)).toBe(true)
})
