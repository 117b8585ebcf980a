import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { openLostAnswers } from '#lib/deliveries/ingest/request-log.ts'
import { shardCount } from '#lib/deliveries/rules/subject.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { foldBatch, foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver, startIngestServer } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import type { ProjectorContext } from './pipeline.ts'
import { startProjector } from './projector.ts'
import { stopWrites } from './shard-leases.ts'
import { SubjectCache } from './subject-cache.ts'
import { LeaseLost } from './write-changes.ts'

let database: TestDatabase
let pool: pg.Pool
const silent = () => undefined

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterEach(() => pool.query(`${emptyLog}; DELETE FROM answer_lost; DELETE FROM lease; ${emptyProjections}`))
afterAll(async () => {
  await pool.end()
  await database.drop()
})

// DELETE is used, because truncating a few rows costs far more.
const emptyProjections =
  'DELETE FROM event; DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM standing; DELETE FROM identifier'
const emptyLog = 'DELETE FROM delivery; DELETE FROM delivery_pending'

const step = (transactionUuid: string, subType: string, more: object = {}) => ({
  type: 'fiatToCrypto',
  subType,
  uuid: 'C0FFEE00-0000-4000-8000-000000000001',
  data: { transactionUuid, status: `${subType}_REASON`, amountFiat: 4.76, currencyFiat: 'EUR', ...more },
})

const start = Date.UTC(2026, 10, 20, 14)

/** Bodies are put into the log, the given seconds after `start`. */
async function log(receiverId: string, bodies: readonly (readonly [seconds: number, body: unknown])[]) {
  return appendPastDeliveries(
    bodies.map(([seconds, body]) => ({
      receivedAt: new Date(start + seconds * 1000),
      receiverId,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    })),
    pool,
  )
}

const takeShards = () => takeAllShards(pool)

/** Nothing is kept in memory, as in a projector that has just begun. */
async function foldAll(work: ProjectorContext, size = 500) {
  work.subjects.clear()
  await foldWaiting(work, size)
}

/** The dump shows all projections as text. */
async function dump(): Promise<unknown> {
  const tables = ['event', 'event_delivery', 'transaction', 'standing', 'identifier']
  return Promise.all(
    tables.map(async (table) => (await pool.query(`SELECT t::text FROM ${table} t ORDER BY 1`)).rows),
  )
}

test('a delivery by HTTP becomes an event and a transaction', async () => {
  const server = await startIngestServer(database.url)
  const projector = await startProjector({ url: database.url })
  const receiver = await addReceiver(server.pool)
  for (const subType of ['PENDING', 'IN_PROGRESS']) {
    const response = await fetch(server.url(receiver.id), {
      method: 'POST',
      headers: { authorization: receiver.authorization },
      body: JSON.stringify(step('T-1', subType)),
    })
    expect(response.status).toBe(200)
  }
  await expect
    .poll(async () => (await pool.query('SELECT * FROM transaction')).rows)
    .toMatchObject([{ uuid: 't-1', step: 'IN_PROGRESS', reason: 'IN_PROGRESS_REASON', amount_fiat: '4.76' }])
  expect((await pool.query('SELECT * FROM event ORDER BY position')).rows).toMatchObject([
    { sub_type: 'PENDING', position: 0, deliveries: 1 },
    { sub_type: 'IN_PROGRESS', position: 1, deliveries: 1 },
  ])
  const seen = await pool.query('SELECT last_delivery_at FROM receiver WHERE id = $1', [receiver.id])
  expect(seen.rows[0].last_delivery_at).toBeInstanceOf(Date)
  await projector.stop()
  await server.stop()
})

test('repeated deliveries join their event, and everything is kept', async () => {
  const { id } = await addReceiver(pool)
  await log(id, [
    [0, step('T-1', 'PENDING')],
    [3, step('T-1', 'PENDING')],
    [60, step('T-1', 'SUCCESS')],
    [61, step('T-1', 'IN_PROGRESS')],
    [70, 'no json'],
  ])
  await foldAll(await takeShards())
  expect((await pool.query('SELECT * FROM event ORDER BY subject_id, position')).rows).toMatchObject([
    { sub_type: 'PENDING', deliveries: 2, flags: [] },
    { sub_type: 'IN_PROGRESS', flags: ['late'], placed_before: new Date(start + 60_000) },
    { sub_type: 'SUCCESS', deliveries: 1 },
    { unreadable: 'not-json', type: null },
  ])
  expect((await pool.query('SELECT step FROM transaction')).rows).toEqual([{ step: 'SUCCESS' }])
})

test('any split into batches and any repetition of the work end in the same rows', async () => {
  const { id } = await addReceiver(pool)
  const subTypes = ['PENDING', 'IN_PROGRESS', 'ON_HOLD', 'SUCCESS', 'FAILED', 'REFUNDED', 'NEW_STEP']
  const arrival = fc.record({
    seconds: fc.integer({ min: 0, max: 200 }),
    transaction: fc.constantFrom('a', 'b'),
    subType: fc.constantFrom(...subTypes),
    // The bytes differ, but the content is the same.
    space: fc.constantFrom(0, 1),
  })
  const held = await takeShards()
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.boolean(), { maxLength: 8 }),
      async (arrivals, size, again) => {
        await pool.query(`${emptyLog}; ${emptyProjections}`)
        await log(
          id,
          arrivals.map(({ seconds, transaction, subType, space }) => [
            seconds,
            JSON.stringify(step(transaction, subType), null, space),
          ]),
        )
        await foldAll(held)
        const atOnce = await dump()
        await pool.query('INSERT INTO delivery_pending SELECT id FROM delivery')
        await foldAll(held, size)
        expect(await dump()).toEqual(atOnce)
        await pool.query(`${emptyProjections}; INSERT INTO delivery_pending SELECT id FROM delivery`)
        held.subjects.clear()
        for (let n = 0; (await foldBatch(held, size)) > 0; n++)
          if (again[n])
            await pool.query(
              'INSERT INTO delivery_pending SELECT delivery_id FROM event_delivery ON CONFLICT DO NOTHING',
            )
        expect(await dump()).toEqual(atOnce)
      },
    ),
    { numRuns: 6, endOnFailure: true },
  )
})

test('a subject with very many deliveries is folded with the same result from the cache and from the tables', async () => {
  const { id } = await addReceiver(pool)
  const count = 2_000
  await log(
    id,
    Array.from({ length: count }, (_, i) => [
      i * 40,
      { type: 'KYC', uuid: 'U-1', data: { status: `S${i % 50}` } },
    ]),
  )
  const held = await takeShards()
  await foldAll(held, 500)
  const kept = await dump()
  await pool.query('INSERT INTO delivery_pending SELECT id FROM delivery LIMIT 3')
  await foldAll(held)
  expect(await dump()).toEqual(kept)
})

test('rows that do not change are not written again', async () => {
  const { id } = await addReceiver(pool)
  await log(id, [
    [0, step('T-1', 'PENDING', { amountCrypto: '5', fees: 1.1, senderDetails: { senderName: 'Ana' } })],
    [9, step('T-1', 'PENDING')],
    [60, step('T-1', 'SUCCESS')],
  ])
  const held = await takeShards()
  await foldAll(held)
  const written = async () =>
    Promise.all(
      ['event', 'event_delivery', 'transaction', 'standing', 'identifier'].map(
        async (table) => (await pool.query(`SELECT xmin::text FROM ${table} t ORDER BY t::text`)).rows,
      ),
    )
  const before = await written()
  await pool.query('INSERT INTO delivery_pending SELECT id FROM delivery')
  await foldAll(held)
  expect(await written()).toEqual(before)
})

test('a delivery whose answer turns out lost is folded again', async () => {
  const { id } = await addReceiver(pool)
  const [first = ''] = await log(id, [
    [0, step('T-1', 'PENDING')],
    [500, step('T-1', 'IN_PROGRESS')],
    [501, step('T-1', 'PENDING')],
  ])
  const held = await takeShards()
  await foldAll(held)
  expect((await pool.query('SELECT FROM event')).rows).toHaveLength(3)
  await pool.query('INSERT INTO answer_lost (delivery_id, cause) VALUES ($1, $2)', [
    first,
    'connection-closed',
  ])
  await pool.query('INSERT INTO delivery_pending VALUES ($1)', [first])
  await foldAll(held)
  expect((await pool.query('SELECT deliveries FROM event ORDER BY position')).rows).toEqual([
    { deliveries: 2 },
    { deliveries: 1 },
  ])
})

test('an answer reported lost during the fold is not missed', async () => {
  const { id } = await addReceiver(pool)
  const [first = ''] = await log(id, [[0, step('T-1', 'PENDING')]])
  // The note is written, and its end is still to come.
  await pool.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
    CREATE TRIGGER wait AFTER INSERT ON answer_lost FOR EACH STATEMENT EXECUTE FUNCTION wait()`)
  const lostAnswers = openLostAnswers(pool, silent)
  lostAnswers.add(first, 'connection-closed')
  const sleeping = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
  await expect.poll(async () => (await pool.query(sleeping)).rows).toHaveLength(1)
  const held = await takeShards()
  await foldAll(held)
  await lostAnswers.close()
  await foldAll(held)
  expect((await pool.query('SELECT answer FROM event_delivery')).rows).toEqual([{ answer: 'unsure' }])
  await pool.query('DROP TRIGGER wait ON answer_lost; DROP FUNCTION wait')
})

test('a delivery that cannot be folded delays nothing else, and is folded after a fix', async () => {
  const { id } = await addReceiver(pool)
  await pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a bug'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.sub_type = 'BAD') EXECUTE FUNCTION refuse()`)
  await log(id, [
    [0, step('T-1', 'PENDING')],
    [1, step('T-2', 'BAD')],
    [2, step('T-3', 'PENDING')],
  ])
  await foldAll(await takeShards())
  expect((await pool.query('SELECT uuid FROM transaction ORDER BY 1')).rows).toEqual([
    { uuid: 't-1' },
    { uuid: 't-3' },
  ])
  expect((await pool.query('SELECT error FROM delivery_pending')).rows).toEqual([{ error: 'a bug' }])
  await pool.query('DROP TRIGGER refuse ON event; DELETE FROM lease')
  const projector = await startProjector({ url: database.url })
  await expect.poll(async () => (await pool.query('SELECT FROM transaction')).rows).toHaveLength(3)
  await projector.stop()
})

test('one holds the lease; when it dies another takes over within 2 s, and the first cannot write any more', async () => {
  const { id } = await addReceiver(pool)
  /** A new projector folds one transaction; the result is its time in ms. */
  const startAndFold = async (uuid: string) => {
    const began = Date.now()
    const projector = await startProjector({ url: database.url })
    await log(id, [[0, step(uuid, 'PENDING')]])
    const folded = async () => (await pool.query('SELECT FROM transaction WHERE uuid = $1', [uuid])).rows
    await expect.poll(folded).toHaveLength(1)
    return { projector, ms: Date.now() - began }
  }
  const free = await startAndFold('t-0')
  await free.projector.stop()
  await pool.query(`${emptyLog}; ${emptyProjections}`)
  const frozen = await takeShards()
  await expect(takeShards()).rejects.toThrow('holds')
  const { projector, ms } = await startAndFold('t-1')
  // The lease ends by itself; that takes two seconds in all on a free machine.
  expect(ms).toBeLessThan(2_000 + 3 * free.ms)
  await pool.query('INSERT INTO delivery_pending SELECT id FROM delivery ON CONFLICT DO NOTHING')
  await projector.stop()
  await log(id, [[1, step('T-2', 'PENDING')]])
  await expect(foldBatch(frozen)).rejects.toThrow(LeaseLost)
  expect((await pool.query('SELECT FROM transaction')).rows).toHaveLength(1)
})

test('a projector that stops lets the next one begin at once', async () => {
  const projector = await startProjector({ url: database.url })
  const held = async () => (await pool.query(`SELECT FROM lease WHERE name LIKE 'projector:%'`)).rowCount
  await expect.poll(held).toBe(shardCount)
  await projector.stop()
  expect((await takeShards()).leases.held).toHaveLength(shardCount)
})

test('a projector that has nothing to do forgets its subjects once an erasure takes the shards away', async () => {
  const { id } = await addReceiver(pool)
  const clear = vi.spyOn(SubjectCache.prototype, 'clear')
  const projector = await startProjector({ url: database.url })
  try {
    await log(id, [[0, step('c0ffee00-0000-4000-8000-00000000000e', 'PENDING')]])
    const left = async () => (await pool.query('SELECT FROM delivery_pending')).rowCount
    await expect.poll(left).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    clear.mockClear()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(clear).not.toHaveBeenCalled()
    await inTransaction(pool, stopWrites)
    await expect.poll(() => clear.mock.calls.length).toBeGreaterThan(0)
    // The projector continues to fold.
    await log(id, [[1, step('c0ffee00-0000-4000-8000-00000000000e', 'SUCCESS')]])
    await expect.poll(left).toBe(0)
  } finally {
    await projector.stop()
    clear.mockRestore()
  }
})
