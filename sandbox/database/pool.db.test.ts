import pg from 'pg'
import { expect, test } from 'vitest'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { openPool } from './pool.ts'

test('whoever finds no place at the database waits for one', async () => {
  const cluster = await startTemporaryPostgres('sandbox-places', ['max_connections=6'])
  const url = await cluster.create('places')
  const others = new pg.Pool({ connectionString: url, idleTimeoutMillis: 1_000 })
  const pool = openPool(url)
  // The cluster may end before a connection to it.
  for (const opened of [others, pool]) opened.on('connect', (one) => one.on('error', () => undefined))
  await Promise.all(Array.from({ length: 6 }, () => others.query('SELECT pg_sleep(0.05)')))
  const asked = Array.from({ length: 40 }, () => pool.query('SELECT pg_sleep(0.05)'))
  const client = new Promise((resolve, reject) => {
    pool.connect((error, _connected, release) => (error ? reject(error) : resolve(release())))
  })
  const settled = await Promise.allSettled([...asked, client])
  expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
  await Promise.all([others.end(), pool.end()])
  await cluster.stop()
})
