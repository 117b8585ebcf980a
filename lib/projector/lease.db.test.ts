import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPool } from '#lib/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { acquireLease, leaseTime, newHolder, releaseLease, renewLease } from './lease.ts'

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

const [one, other] = [newHolder(), newHolder()]

async function acquire(holder: string) {
  const lease = await acquireLease(pool, holder)
  if (!lease) throw new Error('The lease is held')
  return lease
}

test('another waits until a lease has run out, and its holder then cannot renew it', async () => {
  const lease = await acquire(one)
  expect(await acquireLease(pool, other)).toBeNull()
  expect(await renewLease(pool, lease)).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, leaseTime + 50))
  expect((await acquire(other)).epoch).toBe(lease.epoch + 1n)
  expect(await renewLease(pool, lease)).toBe(false)
  await releaseLease(pool, lease)
  expect(await acquireLease(pool, one)).toBeNull()
})

test('its holder may take it again at once, and what it began before can write no more', async () => {
  const before = await acquire(one)
  const after = await acquire(one)
  expect(await renewLease(pool, before)).toBe(false)
  expect(await renewLease(pool, after)).toBe(true)
})

test("a lease of before the database's clock went back keeps nobody waiting", async () => {
  const lease = await acquire(one)
  await pool.query(`UPDATE lease SET expires_at = expires_at + interval '1 hour'`)
  expect((await acquire(other)).epoch).toBe(lease.epoch + 1n)
  expect(await acquireLease(pool, one)).toBeNull()
})

test('a lease that is renewed all the time is never taken, however often another tries', async () => {
  const lease = await acquire(one)
  let renewing = true
  const renewals = (async () => {
    while (renewing) if (!(await renewLease(pool, lease))) return false
    return true
  })()
  for (let tries = 0; tries < 500; tries++) expect(await acquireLease(pool, other)).toBeNull()
  renewing = false
  expect(await renewals).toBe(true)
})
