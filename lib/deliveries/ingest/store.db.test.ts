import crypto from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { insertDeliveries } from './insert-deliveries.ts'
import { openStore, type Store, type StoreLimits, storeLimits } from './store.ts'

let database: TestDatabase
let pool: pg.Pool
let other: pg.Client
let unsure: string[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
})
afterEach(async () => {
  unsure = []
  await other.query('DELETE FROM delivery; DELETE FROM delivery_pending')
})
afterAll(async () => {
  await other.end()
  await pool.end()
  await database.drop()
})

const receiver = crypto.randomUUID()
const body = Buffer.from('{}')
const open = (limits: Partial<StoreLimits> = {}, log = pool): Store =>
  openStore(
    log,
    { onStored: () => undefined, onUnsure: (id) => unsure.push(id) },
    { ...storeLimits, ...limits },
  )

const rows = async <T extends pg.QueryResultRow>(sql: string) => (await other.query<T>(sql)).rows

/** `holdInserts` blocks every insert into the log until its result is called. */
async function holdInserts() {
  await other.query('BEGIN; LOCK TABLE delivery_pending IN SHARE MODE')
  return () => other.query('COMMIT')
}

/**
 * `breakWaiting` closes the connection of the statement that waits for a lock, once there is one. It uses the pool, because
 * PostgreSQL would repeat its first answer in the transaction that holds the lock.
 */
async function breakWaiting() {
  const close = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'rampart' AND wait_event_type = 'Lock'`
  await expect.poll(async () => (await pool.query(close)).rowCount).toBe(1)
}

test('answers only when the commit is done', async () => {
  const store = open()
  const release = await holdInserts()
  let answered = false
  const outcome = store.store(receiver, body).then((given) => {
    answered = true
    return given
  })
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(answered).toBe(false)
  await release()
  expect(await outcome).toMatchObject({ kind: 'stored' })
})

test('deliveries that arrive together, or during a commit, share the next commit in order of arrival', async () => {
  const store = open()
  const outcomes = await Promise.all(Array.from({ length: 450 }, () => store.store(receiver, body)))
  const ids = outcomes.map((outcome) => (outcome.kind === 'stored' ? outcome.deliveryId : null))
  const logged = await rows<{ id: string; xmin: string }>('SELECT id, xmin::text FROM delivery ORDER BY seq')
  expect(logged.map(({ id }) => id)).toEqual(ids)
  const sizes = [...Map.groupBy(logged, ({ xmin }) => xmin).values()].map((group) => group.length)
  expect(sizes).toEqual([200, 200, 50])
  expect(await rows('SELECT delivery_id FROM delivery_pending')).toHaveLength(450)
})

test('a row that cannot be stored does not affect the other rows of its batch', async () => {
  const store = open()
  const outcomes = await Promise.all(
    ['first', receiver, 'no uuid', receiver].map((id) => store.store(id === 'first' ? receiver : id, body)),
  )
  expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'stored', 'database', 'stored'])
})

test('a commit without an answer is sent again with the same ids, and stored once', async () => {
  const store = open()
  const release = await holdInserts()
  const outcomes = Promise.all([store.store(receiver, body), store.store(receiver, body)])
  await breakWaiting()
  await release()
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['stored', 'stored'])
  expect(await rows('SELECT FROM delivery')).toHaveLength(2)
})

test('after the limit it answers "not stored", cancels nothing, and reports what was stored after all', async () => {
  const store = open({ answerMs: 300 })
  const release = await holdInserts()
  expect(await store.store(receiver, body)).toEqual({ kind: 'too-late' })
  await release()
  await store.close()
  expect(unsure).toHaveLength(1)
  await expect.poll(() => rows('SELECT FROM delivery')).toHaveLength(1)
})

test('a delivery answered too late has the error of the connection to the database', async () => {
  const unreachable = openPool('postgresql://127.0.0.1:1/none')
  const store = open({ answerMs: 300 }, unreachable)
  expect(await store.store(receiver, body)).toMatchObject({
    kind: 'too-late',
    cause: { code: 'ECONNREFUSED' },
  })
  await store.close()
  await unreachable.end()
})

test('a full queue refuses at once', async () => {
  const store = open({ maxQueued: 2 })
  const release = await holdInserts()
  const writing = store.store(receiver, body)
  await new Promise((resolve) => setImmediate(resolve))
  const taken = [writing, store.store(receiver, body), store.store(receiver, body)]
  expect(await store.store(receiver, body)).toEqual({ kind: 'queue-full' })
  await release()
  expect((await Promise.all(taken)).map(({ kind }) => kind)).toEqual(['stored', 'stored', 'stored'])
})

test.each([
  ['number', { maxBatch: 2 }],
  ['bytes', { maxBatchBytes: 2 * body.length }],
])('estimates how long the next delivery would wait, by %s', async (_by, limits) => {
  await other.query(`
    CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN NULL; END $$;
    CREATE TRIGGER slow AFTER INSERT ON delivery_pending EXECUTE FUNCTION slow()`)
  const store = open(limits)
  const taken = Array.from({ length: 41 }, () => store.store(receiver, body))
  expect(store.estimatedWaitMs()).toBe(0)
  await taken[1]
  await taken[3]
  expect(store.estimatedWaitMs()).toBeGreaterThan(30 * 10)
  await Promise.all(taken)
  await store.close()
  expect(store.estimatedWaitMs()).toBe(0)
  await other.query('DROP TRIGGER slow ON delivery_pending')
})

describe('with a standby that is away', () => {
  let cluster: TemporaryPostgres
  let url: string
  let admin: pg.Client
  const setStandby = async (how: string) => {
    await admin.query(`ALTER SYSTEM ${how}`)
    await admin.query('SELECT pg_reload_conf()')
  }
  beforeAll(async () => {
    cluster = await startTemporaryPostgres('unconfirmed')
    url = await cluster.create('unconfirmed')
    await applyMigrations(url, { concurrent: 'no' })
    admin = new pg.Client({ connectionString: url })
    await admin.connect()
  })
  beforeEach(async () => {
    await admin.query('DELETE FROM delivery')
    await setStandby(`SET synchronous_standby_names = 'nobody'`)
  })
  afterEach(() => setStandby('RESET synchronous_standby_names'))
  afterAll(async () => {
    await admin.end()
    await cluster.stop()
  })

  test('a commit that no replica confirmed counts as failure', async () => {
    const unconfirmed = openPool(url)
    const store = open({}, unconfirmed)
    const outcome = store.store(receiver, body)
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
    await expect.poll(async () => (await admin.query(cancel)).rowCount).toBe(1)
    expect(await outcome).toMatchObject({
      kind: 'database',
      cause: { message: expect.stringContaining('canceling wait') },
    })
    expect(unsure).toHaveLength(1)
    expect((await admin.query('SELECT FROM delivery')).rowCount).toBe(1)
    await store.close()
    await unconfirmed.end()
  })

  test('commits that wait for an unreachable standby do not use up all connections', async () => {
    const waiting = openPool(url, 5, 300)
    const store = open({ answerMs: 300 }, waiting)
    for (let n = 0; n < 8; n++) expect(await store.store(receiver, body)).toMatchObject({ kind: 'too-late' })
    await store.close()
    const left = async () =>
      (await admin.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).rowCount
    await expect.poll(left).toBe(0)
    // A delivery that was never sent to the database is surely not stored.
    expect(unsure.length).toBeGreaterThan(0)
    await setStandby('RESET synchronous_standby_names')
    expect(await store.store(receiver, body)).toMatchObject({ kind: 'stored' })
    await waiting.end()
  })
})

test('a database that does not wait for its disk stores nothing until it does again', async () => {
  const name = new URL(database.url).pathname.slice(1)
  const set = (how: string) => other.query(`ALTER DATABASE ${name} ${how}`)
  await set('SET synchronous_commit = local')
  const promoted = openPool(database.url, 1)
  const store = open({}, promoted)
  expect(await store.store(receiver, body)).toMatchObject({
    kind: 'database',
    cause: {
      message: expect.stringMatching(
        /synchronous_commit=local .* ALTER ROLE \w+ SET synchronous_commit = on$/,
      ),
    },
  })
  expect(unsure).toHaveLength(1)
  await set('RESET synchronous_commit')
  expect(await store.store(receiver, body)).toMatchObject({ kind: 'stored' })
  await store.close()
  await promoted.end()
})

test('few connections wait for a held lock, the log names it once, and the waiting deliveries are stored together', async () => {
  const holder = new pg.Client({ connectionString: database.url, application_name: 'a report' })
  await holder.connect()
  const logged = captureLog()
  const impatient = openPool(database.url, 5, 600)
  const store = open({ answerMs: 600 }, impatient)
  await holder.query(`BEGIN; LOCK TABLE delivery -- for ana@example.com`)
  for (let n = 0; n < 5; n++) expect(await store.store(receiver, body)).toMatchObject({ kind: 'too-late' })
  const waiting = () =>
    rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  expect((await waiting()).length).toBeLessThan(2)
  // A statement of the last one may still wait, and would store it when the lock is free.
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), 5_000)
  const lasting = open({ answerMs: 15_000 }, impatient)
  const outcomes = Promise.all([lasting.store(receiver, body), lasting.store(receiver, body)])
  // Their first try waits for the lock, and is refused after half of the pool's limit.
  await expect.poll(waiting, { interval: 5 }).toHaveLength(1)
  await expect.poll(waiting, { interval: 5 }).toEqual([])
  await holder.query('COMMIT')
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['stored', 'stored'])
  const stored = await rows<{ xmin: string }>('SELECT xmin::text FROM delivery')
  expect(stored).toHaveLength(2)
  expect(new Set(stored.map(({ xmin }) => xmin)).size).toBe(1)
  const named = logged.lines.filter(({ application }) => application === 'a report')
  expect(named).toMatchObject([
    {
      level: 'error',
      pid: expect.any(Number),
      tables: 'delivery',
      seconds: expect.any(Number),
      query: 'BEGIN; LOCK TABLE delivery …',
    },
  ])
  logged.stop()
  await Promise.all([store.close(), lasting.close()])
  await impatient.end()
  await holder.end()
})

test('other warnings and notices do not count as failure', async () => {
  await other.query(`
    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE WARNING 'must be vacuumed'; RAISE NOTICE 'just so' USING ERRCODE = '01000'; RETURN NULL; END $$;
    CREATE TRIGGER warn AFTER INSERT ON delivery_pending EXECUTE FUNCTION warn()`)
  expect(await open().store(receiver, body)).toMatchObject({ kind: 'stored' })
  expect(unsure).toEqual([])
  await other.query('DROP TRIGGER warn ON delivery_pending')
})

test('a delivery that is committed after its sender was asked to send it again is unsure', async () => {
  const store = open({ answerMs: 3_000 })
  const release = await holdInserts()
  // Most of the delivery's time has passed before it reaches the store.
  expect(await store.store(receiver, body, 2_950)).toMatchObject({ kind: 'too-late' })
  await release()
  await store.close()
  const stored = await rows<{ id: string }>('SELECT id FROM delivery')
  expect(unsure).toEqual(stored.map(({ id }) => id))
  expect(stored).toHaveLength(1)
})

test('a delivery that may have been committed stays unsure when its second try is refused', async () => {
  const store = open()
  await other.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)
  const release = await holdInserts()
  await other.query('CREATE TRIGGER refuse AFTER INSERT ON delivery_pending EXECUTE FUNCTION refuse()')
  const outcome = store.store(receiver, body)
  await breakWaiting()
  await release()
  expect(await outcome).toMatchObject({ kind: 'database', cause: { message: 'refused' } })
  expect(unsure).toHaveLength(1)
  await other.query('DROP TRIGGER refuse ON delivery_pending')
})

test('a repeated row that exists already writes to the WAL, so that its commit waits for a replica', async () => {
  const delivery = { id: crypto.randomUUID(), receiverId: receiver, body }
  await insertDeliveries(pool, [delivery], 2_000)
  await other.query('DELETE FROM delivery_pending')
  const locker = async () => (await rows<{ xmax: string }>('SELECT xmax::text FROM delivery'))[0]?.xmax
  expect(await locker()).toBe('0')
  await insertDeliveries(pool, [delivery], 2_000)
  expect(await locker()).not.toBe('0')
  expect(await rows('SELECT FROM delivery')).toHaveLength(1)
  expect(await rows('SELECT FROM delivery_pending')).toHaveLength(0)
})
