import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { Pipeline } from './pipeline.ts'
import { beginRebuild } from './rebuild.ts'
import { RebuildWorker } from './rebuild-worker.ts'

let database: TestDatabase
let pool: pg.Pool
let hasty: pg.Pool
let receiverId: string

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  hasty = openPool(database.url, 3, 500)
  receiverId = (await addReceiver(pool)).id
  await pool.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_sleep(TG_ARGV[0]::float8); RETURN NEW; END $$`)
})
afterEach(() =>
  pool.query(`DROP TRIGGER IF EXISTS slow ON event; DROP TRIGGER IF EXISTS slow ON event_delivery;
    DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM lease; DELETE FROM rebuild; DELETE FROM rebuild_part;
    DELETE FROM event; DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM standing; DELETE FROM identifier`),
)
afterAll(async () => {
  await hasty.end()
  await pool.end()
  await database.drop()
})

const append = (count: number) =>
  appendPastDeliveries(
    Array.from({ length: count }, (_, n) => ({
      receivedAt: new Date(Date.UTC(2026, 10, 20, 14, 0, n)),
      receiverId,
      body: Buffer.from(
        JSON.stringify({ type: 'fiatToCrypto', subType: 'PENDING', data: { transactionUuid: `T-${n}` } }),
      ),
    })),
    pool,
  )

/** Writing a row takes this many milliseconds; a statement may take 400. */
const slowDown = (table: string, ms: number, when = '') =>
  pool.query(`CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW ${when}
    EXECUTE FUNCTION slow('${ms / 1_000}')`)

/** The steps continue after an error, as a projector does, until `isDone` or this number of steps. */
async function work(step: () => Promise<unknown>, isDone: () => Promise<boolean>, most: number) {
  const errors: string[] = []
  for (let n = 0; n < most && !(await isDone()); n++)
    await step().catch((error: unknown) => errors.push(String(error)))
  return errors
}

const count = async (what: string) =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${what}`)).rows[0]?.n

const nothingWaits = async () => (await count('delivery_pending WHERE dead_lettered_at IS NULL')) === 0

async function foldByHand(most: number) {
  const projector = await takeAllShards(hasty)
  const pipeline = new Pipeline(projector)
  const step = async () => {
    await pipeline.runBatch(async () => undefined)
    await pipeline.finishWriting()
  }
  return work(step, nothingWaits, most).finally(() => projector.leases.release())
}

test('a batch that is too slow as a whole is folded in parts', async () => {
  await append(8)
  await slowDown('event', 120)
  const errors = await foldByHand(12)
  expect(await count('transaction')).toBe(8)
  expect(await count('delivery_pending')).toBe(0)
  expect(errors.length).toBeGreaterThan(0)
})

test('a subject that is too slow on its own becomes a dead letter with the reason, and the others are folded', async () => {
  await append(6)
  await slowDown('event', 1_000, `WHEN (NEW.subject_id = 'transaction:t-2')`)
  const logged = captureLog()
  await foldByHand(25).finally(() => logged.stop())
  expect(await count('transaction')).toBe(5)
  const { rows } = await pool.query('SELECT dead_lettered_at, error FROM delivery_pending')
  expect(rows).toEqual([
    { dead_lettered_at: expect.any(Date), error: 'A statement was not done within 0.4 s' },
  ])
  expect(logged.text()).toContain('dead letters')
})

test('a lock that another holds for long makes no dead letter', async () => {
  await append(1)
  const locker = await pool.connect()
  await locker.query('BEGIN; LOCK TABLE event IN EXCLUSIVE MODE')
  const errors = await foldByHand(6)
  expect(errors).toHaveLength(6)
  expect(await count('delivery_pending WHERE dead_lettered_at IS NOT NULL')).toBe(0)
  await locker.query('ROLLBACK')
  locker.release()
  await foldByHand(3)
  expect(await count('transaction')).toBe(1)
})

test('a database that falls silent while one subject is written makes no dead letter', async () => {
  await append(1)
  await slowDown('event', 1_000)
  const projector = await takeAllShards(hasty)
  const pipeline = new Pipeline(projector)
  await pipeline.runBatch(async () => undefined)
  await expect(pipeline.finishWriting()).rejects.toThrow('was not done within')
  for (let step = 0; step < 5; step++) pipeline.noteStepTimeout(new Error('The step did not end'))
  await pool.query('DROP TRIGGER slow ON event')
  await pipeline.runBatch(async () => undefined)
  await pipeline.finishWriting()
  await projector.leases.release()
  expect(await count('delivery_pending WHERE dead_lettered_at IS NOT NULL')).toBe(0)
  expect(await count('transaction')).toBe(1)
})

test('a database that falls silent while nothing is folded makes the next batch no smaller', async () => {
  await append(4)
  const projector = await takeAllShards(hasty)
  const pipeline = new Pipeline(projector)
  const step = () => pipeline.runBatch(async () => undefined)
  expect(await step()).toMatchObject({ taken: 4 })
  expect(await step()).toMatchObject({ taken: 0 })
  for (let n = 0; n < 2; n++) pipeline.noteStepTimeout(new Error('The step did not end'))
  await append(4)
  pipeline.scanFromStart()
  expect(await step()).toMatchObject({ taken: 4 })
  await pipeline.finishWriting()
  await projector.leases.release()
})

test('a rebuild is done in parts when it is too slow, and gives up a subject that is too slow on its own', async () => {
  await append(6)
  await foldByHand(5)
  await pool.query(`UPDATE event_delivery SET reason = '{}'`)
  await beginRebuild(pool)
  await slowDown('event_delivery', 120, `WHEN (NEW.subject_id <> 'transaction:t-2')`)
  await pool.query(`CREATE TRIGGER slower BEFORE INSERT OR UPDATE ON event_delivery FOR EACH ROW
    WHEN (NEW.subject_id = 'transaction:t-2') EXECUTE FUNCTION slow('1')`)
  const rebuildWorker = new RebuildWorker(await takeAllShards(hasty))
  const step = async () => {
    rebuildWorker.checkForRebuild()
    await rebuildWorker.runSlice(async () => undefined)
    await rebuildWorker.finishWriting()
  }
  const logged = captureLog()
  const isFinished = async () => (await count('rebuild_part WHERE NOT finished AND part < 8')) === 0
  await work(step, isFinished, 30).finally(() => logged.stop())
  await pool.query('DROP TRIGGER slower ON event_delivery')
  expect(await count(`event_delivery WHERE reason = '{}'`)).toBe(1)
  const { rows } = await pool.query('SELECT error FROM delivery_pending WHERE dead_lettered_at IS NOT NULL')
  expect(rows).toEqual([{ error: 'A statement was not done within 0.4 s' }])
})
