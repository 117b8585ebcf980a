import os from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { openInstallationMetrics } from './installation-metrics.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** A scrape reads these samples; one that is not known is absent. */
async function readSamples(url: string) {
  const pool = openPool(url, 2)
  try {
    const { refresh, registry } = openInstallationMetrics(pool, os.tmpdir())
    await refresh()
    const samples = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'))
    return new Map(
      samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]),
    )
  } finally {
    await pool.end()
  }
}

test('the metrics say what the database holds, and its size', async () => {
  const pool = openPool(database.url, 1)
  const state = { look: 'key-refused', since: '2026-11-20T10:00:00.000Z', seenAt: null }
  await pool.query(`INSERT INTO setting (key, value) VALUES ('service-state', $1)`, [
    JSON.stringify({ ...state, lookedAt: new Date(Date.now() - 90_000).toISOString() }),
  ])
  await pool.query(
    `INSERT INTO gap (id, kind, about, began_at, ended_at)
     SELECT gen_random_uuid(), kind, CASE kind WHEN 'down' THEN '' ELSE gen_random_uuid()::text END, now() - interval '9 minutes', now() - ended * interval '1 minute'
     FROM (VALUES ('deferred', 5), ('down', 5), ('down', NULL)) AS given (kind, ended)`,
  )
  await pool.end()
  const samples = await readSamples(database.url)
  const gaps = (kind: string, state: string, severity: string) =>
    samples.get(`rampart_open_gaps{kind="${kind}",state="${state}",severity="${severity}"}`)
  // The retries of the deferred gap are pending, so it needs nobody.
  expect([gaps('deferred', 'over', 'info'), gaps('deferred', 'over', 'warning')]).toEqual(['1', '0'])
  expect([gaps('down', 'over', 'warning'), gaps('down', 'lasting', 'error')]).toEqual(['1', '1'])
  expect(samples.get('rampart_database_up')).toBe('1')
  expect(samples.get('rampart_backlog_deliveries')).toBe('0')
  expect(samples.get('rampart_projector_active')).toBe('0')
  expect(samples.get('rampart_service_state{state="key-refused"}')).toBe('1')
  expect(samples.get('rampart_service_state{state="seen"}')).toBe('0')
  expect(Number(samples.get('rampart_last_endpoint_check_age_seconds'))).toBeGreaterThanOrEqual(90)
  expect(Number(samples.get('rampart_database_size_bytes'))).toBeGreaterThan(1_000_000)
  expect(Number(samples.get('rampart_database_connections'))).toBeGreaterThan(0)
})

test('the metrics count a key once, as long as a server lives that cannot use it', async () => {
  const pool = openPool(database.url, 1)
  await pool.query(
    `WITH fault (process, key_id, seconds, work) AS (
       SELECT gen_random_uuid(), * FROM (VALUES ('k1', -60, 'keys'), ('k2', 10, 'keys'), ('k2', 10, 'ingest')) AS given
     ), held AS (
       INSERT INTO lease (name, holder, epoch, expires_at)
       SELECT concat_ws(':', work, process, CASE work WHEN 'keys' THEN '' END), process, 1, now() + seconds * interval '1 s'
       FROM fault
     )
     INSERT INTO key_fault (process, key_id, kind) SELECT process, key_id, 'changed' FROM fault`,
  )
  await pool.end()
  const samples = await readSamples(database.url)
  expect(samples.get('rampart_key_faults{kind="changed"}')).toBe('1')
  expect(samples.get('rampart_key_faults{kind="missing"}')).toBe('0')
})

test('without the database the metrics say so, and nothing else of it', async () => {
  const samples = await readSamples('postgresql://nobody:nothing@127.0.0.1:1/none')
  expect(samples.get('rampart_database_up')).toBe('0')
  expect(samples.has('rampart_backlog_deliveries')).toBe(false)
})

test('a database that takes no writes is not up, and the metrics still say what it holds', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const samples = await readSamples(url.href)
  expect(samples.get('rampart_database_up')).toBe('0')
  expect(samples.get('rampart_backlog_deliveries')).toBe('0')
})
