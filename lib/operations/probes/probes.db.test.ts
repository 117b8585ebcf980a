import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { openReadiness } from './probes.ts'

const well = { usable: new Set(['k1']), faults: [] }
let database: TestDatabase
let proxy: Awaited<ReturnType<typeof startSilentProxy>>
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  const url = new URL(database.url)
  proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  pool = openPool(url.href, 2)
})
afterEach(async () => {
  await pool.end()
  proxy.stop()
})

type Parts = Parameters<typeof openReadiness>[0]
const read = (parts: Partial<Parts> = {}) =>
  openReadiness({ pool, keys: () => well, isStopping: () => false, ...parts })

describe('a process', () => {
  it('is ready with its database, migrations and keys', async () => {
    expect(await read()()).toEqual([])
  })

  it('is not ready while it stops, whatever the database says', async () => {
    expect(await read({ isStopping: () => true })()).toEqual(['This process is stopping.'])
  })

  it('is not ready without a migration that it needs', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `DELETE FROM _prisma_migrations WHERE id = (SELECT id FROM _prisma_migrations ORDER BY migration_name LIMIT 1)
       RETURNING migration_name AS name, to_jsonb(_prisma_migrations) AS row`,
    )
    const [removed] = rows
    expect(await read()()).toEqual([`The database lacks migrations: ${removed?.name}.`])
    await pool.query(
      'INSERT INTO _prisma_migrations SELECT * FROM jsonb_populate_record(NULL::_prisma_migrations, $1)',
      [removed && 'row' in removed ? removed.row : null],
    )
    expect(await read()()).toEqual([])
  })

  it('is not ready while the database takes no writes, and is soon after it does', async () => {
    const owner = openPool(database.url, 1)
    const change = (what: string) =>
      owner.query(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${what}', current_database()); END $$`)
    await change('SET default_transaction_read_only = on')
    const reasons = read()
    // Both connections are made now, and would stay read-only.
    await Promise.all([1, 2].map(() => pool.query('SELECT pg_sleep(0.2)')))
    expect(await reasons()).toEqual(['The database takes no writes.'])
    await change('RESET default_transaction_read_only')
    await owner.end()
    await expect.poll(reasons).toEqual([])
    await pool.query('DELETE FROM heartbeat WHERE false')
  })

  it('is not ready before its keys are checked, nor with a wrong or missing one', async () => {
    expect(await read({ keys: () => ({ usable: null, faults: [] }) })()).toEqual([
      'RAMPART_KEYS are not checked yet.',
    ])
    const faults = [
      { keyId: 'k2', kind: 'changed' },
      { keyId: 'k1', kind: 'missing' },
    ] as const
    expect(await read({ keys: () => ({ usable: new Set(), faults }) })()).toEqual([
      'RAMPART_KEYS: the key k2 is not the one that this database knows.',
      'RAMPART_KEYS: the key k1 is missing.',
    ])
  })

  it('says within two seconds that the database is silent, and is ready soon after it answers', async () => {
    const reasons = read()
    expect(await reasons()).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 600))
    proxy.fallSilent()
    const began = performance.now()
    expect(await reasons()).toEqual([expect.stringMatching(/^The database did not answer/)])
    expect(await reasons()).toEqual([expect.stringMatching(/^The database did not answer/)])
    expect(performance.now() - began).toBeLessThan(4_000)
    proxy.speakAgain()
    await expect.poll(reasons).toEqual([])
  })
})
