import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startPooler } from '../../../test/pooler.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { StepTimeoutError, withWatchdog } from '../in-time.ts'
import { closeConnection, connect } from './connect.ts'
import { inTransaction, mayHaveTakenEffect } from './in-transaction.ts'
import { openListener } from './listen.ts'
import { openPool, outlastFailOver } from './pool.ts'
import { openPrisma } from './prisma.ts'

let database: TestDatabase
let proxy: Awaited<ReturnType<typeof startSilentProxy>>
let url: string

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startSilentProxy(Number(new URL(database.url).port))
  const through = new URL(database.url)
  through.port = String(proxy.port)
  url = through.href
})
afterEach(() => proxy.speakAgain())
afterAll(async () => {
  proxy.stop()
  await database.drop()
})

test('a query that times out closes its connection, and the next query gets another', async () => {
  const pool = openPool(url, 1, 300)
  await pool.query('SELECT 1')
  proxy.fallSilent()
  await expect(pool.query('SELECT 2')).rejects.toThrow('Query read timeout')
  proxy.speakAgain()
  expect((await pool.query('SELECT 3 AS n')).rows).toEqual([{ n: 3 }])
  await pool.end()
})

test('a process that was blocked keeps the connections that were made meanwhile', async () => {
  const pool = openPool(database.url, 1)
  const connected = Promise.all([pool.query('SELECT 1'), connect(database.url, 'rampart test')])
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_500))
  const [, client] = await connected
  await closeConnection(client)
  await pool.end()
})

test('a connection that nobody answers is given up after its time', async () => {
  proxy.fallSilent()
  const began = performance.now()
  await expect(openPool(url, 1).query('SELECT 1')).rejects.toThrow('timeout expired')
  await expect(connect(url, 'rampart test')).rejects.toThrow('timeout expired')
  expect(performance.now() - began).toBeGreaterThan(7_900)
})

test('a transaction whose connection becomes silent fails at its first query, and not again at its rollback', async () => {
  const pool = openPool(url, 1, 1_000)
  await pool.query('SELECT 1')
  const began = performance.now()
  await expect(
    inTransaction(pool, (client) => {
      proxy.fallSilent()
      return client.query('SELECT 2')
    }),
  ).rejects.toThrow('Query read timeout')
  expect(performance.now() - began).toBeLessThan(1_900)
  proxy.speakAgain()
  await inTransaction(pool, (client) => client.query('SELECT 3'))
  await pool.end()
})

test('Prisma fails a query and a transaction on a silent connection, and continues with another', async () => {
  const pool = openPool(url, 1, 300)
  const prisma = openPrisma(pool)
  const ask = () => prisma.member.count()
  const askTwice = () => prisma.$transaction(async (tx) => [await tx.member.count(), await tx.member.count()])
  for (const query of [ask, askTwice]) {
    await query()
    proxy.fallSilent()
    await expect(query()).rejects.toThrow()
    proxy.speakAgain()
    await query()
  }
  await prisma.$disconnect()
  await pool.end()
})

test('behind a pooler no abandoned statement continues at the database', async () => {
  const pooler = await startPooler(database.url)
  const [pool, direct] = [openPool(pooler.url, 1, 300), openPool(database.url, 1)]
  await expect(pool.query('SELECT pg_sleep(40)')).rejects.toThrow('Query read timeout')
  const left = await inTransaction(pool, (tx) => tx.query('SELECT pg_sleep(40)')).catch(
    (error: Error) => error,
  )
  expect(left).toMatchObject({ message: 'Query read timeout' })
  const under = `SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(40)' AND state <> 'idle'`
  await expect.poll(async () => (await direct.query(under)).rowCount).toBe(0)
  expect((await pool.query('SELECT 3 AS n')).rows).toEqual([{ n: 3 }])
  await Promise.all([pool.end(), direct.end()])
  pooler.stop()
})

test('a transaction whose connection was silent before it began surely did nothing, and the next gets another', async () => {
  const pool = outlastFailOver(openPool(url, 1, 1_000))
  await pool.query('SELECT 1')
  // The connection is not trusted any more without a question.
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  proxy.fallSilent()
  const failed = inTransaction(pool, (client) => client.query('SELECT 2'))
  await expect(failed).rejects.toThrow('Query read timeout')
  await expect(failed).rejects.toSatisfy((error) => !mayHaveTakenEffect(error))
  proxy.speakAgain()
  expect((await inTransaction(pool, (client) => client.query('SELECT 3 AS n'))).rows).toEqual([{ n: 3 }])
  await pool.end()
})

test('a step that does not end is abandoned with all connections of its pool', async () => {
  const pool = openPool(url, 2)
  await pool.query('SELECT 1')
  const client = await pool.connect()
  proxy.fallSilent()
  const stuck = client.query('SELECT 2').catch((error: Error) => error.message)
  const step = withWatchdog(pool, 300, () => pool.query('SELECT 3'))
  await expect(step).rejects.toThrow(StepTimeoutError)
  expect(await stuck).toMatch(/^Connection terminated/)
  client.release(true)
  proxy.speakAgain()
  expect((await withWatchdog(pool, 3_000, () => pool.query('SELECT 4 AS n'))).rows).toEqual([{ n: 4 }])
  await pool.end()
})

test('a listener detects a silent connection and receives notifications again', async () => {
  const received: string[] = []
  const listener = openListener(url, { every: 200, answer: 200 })
  let listening = 0
  listener.onListening(() => {
    listening += 1
  })
  listener.subscribe('silence', (payload) => received.push(payload))
  await expect.poll(() => listening).toBe(1)
  proxy.fallSilent()
  await new Promise((resolve) => setTimeout(resolve, 600))
  proxy.speakAgain()
  await expect.poll(() => listening).toBe(2)
  const pool = openPool(database.url, 1)
  await pool.query(`NOTIFY silence, 'again'`)
  await expect.poll(() => received).toEqual(['again'])
  await pool.end()
  await listener.close()
})
