import crypto from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { findLockHolder } from './locks.ts'

let cluster: TemporaryPostgres
let url: string
const clients: pg.Client[] = []

async function open(name: string, role?: string): Promise<pg.Client> {
  const address = new URL(url)
  if (role) Object.assign(address, { username: role, password: role })
  const client = new pg.Client({ connectionString: address.href, application_name: name })
  await client.connect()
  clients.push(client)
  return client
}

beforeAll(async () => {
  cluster = await startTemporaryPostgres('holders', ['max_prepared_transactions=2'])
  url = await cluster.create('holders')
  const owner = await open('owner')
  await owner.query(`
    CREATE TABLE thing (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO thing VALUES (1, 'one');
    CREATE ROLE app LOGIN PASSWORD 'app'; GRANT ALL ON thing TO app`)
})
afterAll(async () => {
  for (const client of clients) await client.end()
  await cluster.stop()
})

test('the log shows no values of the rows that a holder has locked', async () => {
  const [holder, waiter, looking] = [await open('a clerk'), await open('waiter'), await open('looking')]
  await holder.query(`BEGIN; UPDATE thing SET text = 'Ana Silva', id = 1 WHERE id = 1 -- for ana@example.com`)
  const waiting = waiter.query('UPDATE thing SET text = $1 WHERE id = 1', ['other'])
  await expect
    .poll(async () => findLockHolder(looking))
    .toMatchObject({ name: 'a clerk', tables: 'thing', isBlocking: true, seconds: expect.any(Number) })
  const found = await findLockHolder(looking)
  expect(found?.query).toBe('BEGIN; UPDATE thing SET text = …')
  await holder.query('COMMIT')
  await waiting
  expect(await findLockHolder(looking)).toBeNull()
})

test('a role that may not see other sessions learns the holder and how long somebody has waited', async () => {
  const [holder, waiter, looking] = [
    await open('a report'),
    await open('waiter', 'app'),
    await open('looking', 'app'),
  ]
  await holder.query(`BEGIN; LOCK TABLE thing`)
  const waiting = waiter.query('SELECT FROM thing')
  await expect
    .poll(async () => findLockHolder(looking))
    .toMatchObject({ name: 'a report', query: null, isBlocking: true, seconds: expect.any(Number) })
  await holder.query('COMMIT')
  await waiting
})

test('a transaction that was prepared and forgotten is named too', async () => {
  const [holder, looking] = [await open('a batch'), await open('looking')]
  const id = crypto.randomUUID()
  await holder.query(`BEGIN; LOCK TABLE thing; PREPARE TRANSACTION '${id}'`)
  expect(await findLockHolder(looking)).toMatchObject({
    pid: 0,
    name: 'a prepared transaction',
    isBlocking: true,
  })
  await holder.query(`ROLLBACK PREPARED '${id}'`)
})
