import pg from 'pg'
import { expect, test } from 'vitest'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { claimDatabase, openPool } from './pool.ts'

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

test('times are in UTC, and a database that is not UTF8 is refused', async () => {
  const cluster = await startTemporaryPostgres('sandbox-zone', [`timezone=Asia/Kolkata`])
  const pool = openPool(await cluster.create('zone'))
  expect((await pool.query('SHOW TimeZone')).rows).toEqual([{ TimeZone: 'UTC' }])
  await pool.query(`CREATE DATABASE in_latin ENCODING 'LATIN1' TEMPLATE template0`)
  await pool.end()
  await expect(claimDatabase(cluster.url('in_latin'))).rejects.toThrow(
    `its encoding is LATIN1, and the sandbox needs UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  )
  await cluster.stop()
})
