import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newHolder } from '#lib/platform/db/lease.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver, startIngestServer } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { appendPastDeliveries } from './insert-deliveries.ts'
import { openPresence } from './process-presence.ts'

let database: TestDatabase
let admin: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  admin = new pg.Client({ connectionString: database.url.replace(/\/[^/]+$/, '/postgres') })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await database.drop()
})

const name = () => new URL(database.url).pathname.slice(1)
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

/** The database accepts no connections for so many seconds. */
async function takeAway(seconds: number) {
  await admin.query(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS false`)
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name()])
  await sleep(seconds)
  await admin.query(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS true`)
}

test('two processes that survive a database outage do not count each other as dead', async () => {
  const presence = { signEveryMs: 600, deadAfterMs: 2_000 }
  const servers = await Promise.all([
    startIngestServer(database.url, { presence }),
    startIngestServer(database.url, { presence }),
  ])
  const [{ pool }] = servers
  const { id, authorization } = await addReceiver(pool)
  for (const { url } of servers) {
    for (let n = 0; n < 10; n++)
      expect((await fetch(url(id), { method: 'POST', headers: { authorization }, body: '{}' })).status).toBe(
        200,
      )
    // A process acquires its lease with its first delivery. The pause makes the two renew in turn.
    await sleep(0.3)
  }
  await takeAway(2.8)
  await sleep(3)
  const { rows } = await pool.query('SELECT count(*)::int AS unsure FROM answer_lost')
  expect(rows).toEqual([{ unsure: 0 }])
  const { rows: leases } = await pool.query(
    `SELECT FROM lease WHERE name LIKE 'ingest:%' AND expires_at > clock_timestamp()`,
  )
  expect(leases).toHaveLength(2)
  for (const server of servers) await server.stop()
})

test('the first process to renew after an outage does not count another as dead that could not renew either', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const pool = openPool(database.url)
  const found = vi.fn()
  const times = { signEveryMs: 600, deadAfterMs: 2_000 }
  const open = () => openPresence(pool, newHolder(), found, times)
  const [first, second] = [open(), open()]
  // `begin` renews the lease and reads the leases of others.
  for (const presence of [first, second, first]) await presence.begin()
  const { id } = await addReceiver(pool)
  await appendPastDeliveries([{ receivedAt: new Date(), receiverId: id, body: Buffer.from('{}') }], pool)
  vi.advanceTimersByTime(2_800)
  await first.begin()
  expect(found).not.toHaveBeenCalled()
  expect((await pool.query('SELECT FROM answer_lost')).rows).toEqual([])
  for (const presence of [first, second]) await presence.close()
  vi.useRealTimers()
  await pool.end()
})
