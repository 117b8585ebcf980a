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
  await pool.end()
  const samples = await readSamples(database.url)
  expect(samples.get('rampart_database_up')).toBe('1')
  expect(samples.get('rampart_backlog_deliveries')).toBe('0')
  expect(samples.get('rampart_projector_active')).toBe('0')
  expect(samples.get('rampart_service_state{state="key-refused"}')).toBe('1')
  expect(samples.get('rampart_service_state{state="seen"}')).toBe('0')
  expect(Number(samples.get('rampart_last_endpoint_check_age_seconds'))).toBeGreaterThanOrEqual(90)
  expect(Number(samples.get('rampart_database_size_bytes'))).toBeGreaterThan(1_000_000)
  expect(Number(samples.get('rampart_database_connections'))).toBeGreaterThan(0)
})

test('without the database the metrics say so, and nothing else of it', async () => {
  const samples = await readSamples('postgresql://nobody:nothing@127.0.0.1:1/none')
  expect(samples.get('rampart_database_up')).toBe('0')
  expect(samples.has('rampart_backlog_deliveries')).toBe(false)
})
