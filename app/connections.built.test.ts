import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { divideConnections } from '#lib/platform/db/pool-sizes.ts'
import { connectionRange } from '#lib/platform/env.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { addReceiver } from '../test/ingest.ts'
import { type NextServer, startServer } from '../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'

// docs/scale.md gives these numbers of connections. The test counts them at PostgreSQL while it opens pages and
// sends deliveries.

let database: TestDatabase
let pool: pg.Pool
let server: NextServer

const { fewest, usual } = connectionRange(1)
const pages = [
  'overview',
  'transactions',
  'timeline',
  'accounts',
  'companies',
  'users',
  'endpoints',
  'gaps',
].concat('audit', 'team', 'settings')

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url, 1)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

// The fewest connections are waited for most, also by the requests that come later.
test.each([
  { total: fewest, turns: 2 },
  { total: usual, turns: 1 },
])('with $total connections there are never more, and no page is answered 500', async ({ total, turns }) => {
  const sizes = divideConnections(total, 1)
  server = await startServer(database.url, { DATABASE_CONNECTIONS: String(total), PROJECTORS: '1' })
  const cookie = await server.signIn(pool, 'admin')
  const projector = await startProjector({ url: database.url, connections: sizes.projector })
  const receiver = await addReceiver(pool, { key: server.key })
  let most = 0
  let busy = true
  const watching = (async () => {
    while (busy) {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      most = Math.max(most, rows[0]?.count ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const statuses = await Promise.all(
    [...pages, ...pages].map(async (page) => {
      const seen: number[] = []
      for (let turn = 0; turn < turns; turn++) {
        const answer = await fetch(`${server.url}/${page}`, { headers: { cookie }, redirect: 'manual' })
        const failed = /data-dgst="\d|"digest":"\d/.test(await answer.text())
        seen.push(failed ? 500 : answer.status)
        const { id, authorization } = receiver
        const body = JSON.stringify({ type: 'KYC', subType: page, uuid: crypto.randomUUID(), data: {} })
        const took = { method: 'POST', headers: { authorization }, body }
        seen.push((await fetch(`${server.url}/api/webhooks/${id}`, took)).status)
      }
      return seen
    }),
  )
  busy = false
  await watching
  expect(new Set(statuses.flat())).toEqual(new Set([200]))
  expect(most).toBeLessThanOrEqual(total)
  expect(most).toBeGreaterThan(total / 3)
  await projector.stop()
  await server.stop()
})
