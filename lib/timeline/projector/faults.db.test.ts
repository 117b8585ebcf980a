import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { startCuttingWire } from '../../../test/cutting-wire.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { rulesVersion } from '../rules/fold.ts'
import { startProjector } from './projector.ts'
import { rebuild } from './rebuild.ts'

let database: TestDatabase
let pool: pg.Pool
let receiverId: string
const silent = () => undefined

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  receiverId = (await addReceiver(pool)).id
  await pool.query(`INSERT INTO setting (key, value) VALUES ('rules-version', '${rulesVersion}')`)
  await pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'as it was asked to' USING ERRCODE = TG_ARGV[0]; END $$`)
})
afterEach(async () => {
  await pool.query('DROP TRIGGER IF EXISTS fail ON event')
  await pool.query(`DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM lease; DELETE FROM setting WHERE key <> 'rules-version';
    ${empty}`)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const tables = ['event', 'event_delivery', 'transaction', 'standing', 'identifier']
const empty = tables.map((table) => `DELETE FROM ${table}`).join('; ')

const start = Date.UTC(2026, 10, 20, 14)

const said = (transactionUuid: string, subType: string, more: object = {}) => ({
  type: 'fiatToCrypto',
  subType,
  uuid: 'U-1',
  data: { transactionUuid, ...more },
})

const append = (bodies: readonly (object | string)[]) =>
  appendPastDeliveries(
    bodies.map((body, n) => ({
      receivedAt: new Date(start + n * 1000),
      receiverId,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    })),
    pool,
  )

/** The queue is folded until it is empty. */
async function foldAll() {
  await foldWaiting(await takeAllShards(pool))
}

const endLease = () => pool.query('DELETE FROM lease')

/** The dump shows all projections as text. */
const dump = () =>
  Promise.all(
    tables.map(async (table) => (await pool.query(`SELECT t::text FROM ${table} t ORDER BY 1`)).rows),
  )

const folded = async () =>
  (await pool.query('SELECT uuid FROM transaction ORDER BY uuid')).rows.map(({ uuid }) => uuid)

const pending = async () => {
  const { rows } = await pool.query<{ waiting: number; aside: number }>(
    `SELECT count(*) FILTER (WHERE dead_lettered_at IS NULL)::int AS waiting, count(dead_lettered_at)::int AS aside
     FROM delivery_pending`,
  )
  return rows[0]
}

const failing = (state: string, when: string) =>
  pool.query(
    `CREATE TRIGGER fail BEFORE INSERT ON event FOR EACH ROW ${when} EXECUTE FUNCTION fail('${state}')`,
  )

const one = "WHEN (NEW.sub_type = 'BAD')"

// These codes stand for all that `failure-cause.test.ts` lists.
const ofTheMachine = {
  '08006': 'connection failure',
  '0A000': 'a plan that no longer fits, while tables change',
  '25006': 'reads only, after a change of the leader',
  '25P03': 'stood still too long',
  '53100': 'disk full',
  '57P01': 'shut down by an admin',
}

test.each(Object.entries(ofTheMachine))(
  '%s (%s) makes no dead letters, and folding continues afterwards',
  async (state) => {
    await append([said('T-1', 'PENDING'), said('T-2', 'BAD'), said('T-3', 'PENDING')])
    await failing(state, one)
    await expect(foldAll()).rejects.toThrow('as it was asked to')
    expect(await pending()).toEqual({ waiting: 3, aside: 0 })
    await pool.query('DROP TRIGGER fail ON event')
    await endLease()
    await foldAll()
    expect(await folded()).toEqual(['t-1', 't-2', 't-3'])
  },
)

const ofOthers = {
  '40P01': 'deadlock',
  '57014': 'cancelled, or too slow for the database',
}

test.each(Object.entries(ofOthers))(
  '%s (%s) delays only the affected subject, and makes no dead letters',
  async (state) => {
    await append([said('T-2', 'BAD'), said('T-1', 'PENDING'), said('T-3', 'PENDING')])
    await failing(state, one)
    await expect(foldAll()).rejects.toThrow('as it was asked to')
    expect(await folded()).toEqual(['t-1', 't-3'])
    expect(await pending()).toEqual({ waiting: 1, aside: 0 })
    await pool.query('DROP TRIGGER fail ON event')
    await endLease()
    await foldAll()
    expect(await folded()).toEqual(['t-1', 't-2', 't-3'])
  },
)

const ofTheDelivery = {
  '22003': 'a number out of range',
  '23505': 'not unique',
  XX000: 'internal',
}

test.each(Object.entries(ofTheDelivery))(
  '%s (%s) makes dead letters of the affected deliveries only',
  async (state) => {
    await append([said('T-2', 'BAD'), said('T-1', 'PENDING'), said('T-3', 'PENDING')])
    await failing(state, one)
    await foldAll()
    expect(await folded()).toEqual(['t-1', 't-3'])
    expect(await pending()).toEqual({ waiting: 0, aside: 1 })
  },
)

test('what is nested very deep is folded like anything else, and rebuilt to the same rows', async () => {
  const depth = 100_000
  const nested = `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`
  const deep = JSON.stringify(said('T-2', 'PENDING', { deep: 0 })).replace('"deep":0', `"deep":${nested}`)
  await append([said('T-1', 'PENDING'), deep, '['.repeat(depth), said('T-3', 'PENDING')])
  await foldAll()
  expect(await folded()).toEqual(['t-1', 't-2', 't-3'])
  expect(await pending()).toEqual({ waiting: 0, aside: 0 })
  const rows = await dump()
  await pool.query(`${empty}; INSERT INTO delivery_pending SELECT id FROM delivery`)
  await endLease()
  await foldAll()
  expect(await dump()).toEqual(rows)
})

test('bodies nested as deep as a body can be hold up nobody, and nothing of them is lost', async () => {
  const nested = `${'['.repeat(480_000)}${']'.repeat(480_000)}`
  const deep = Array.from({ length: 6 }, (_, n) =>
    JSON.stringify(said(`T-9${n}`, 'PENDING', { deep: 0 })).replace('"deep":0', `"deep":${nested}`),
  )
  await append([...deep, said('T-1', 'PENDING'), said('T-3', 'PENDING')])
  const logged = captureLog()
  const projector = await startProjector({ url: database.url })
  try {
    // Both events appear while most of the others still wait.
    await expect
      .poll(async () => {
        const waits = (await pending())?.waiting
        const there = await folded()
        return there.includes('t-1') && there.includes('t-3') ? waits : null
      })
      .toBeGreaterThan(2)
    await expect.poll(pending, { timeout: 60_000 }).toEqual({ waiting: 0, aside: 0 })
    expect(await folded()).toHaveLength(8)
    expect(logged.lines.filter(({ level }) => level === 'error')).toEqual([])
  } finally {
    await projector.stop()
    logged.stop()
  }
})

test('a database that limits statements and is locked for longer sets nothing aside', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await pool.query(
    `ALTER DATABASE ${name} SET statement_timeout = 150; ALTER DATABASE ${name} SET lock_timeout = 100`,
  )
  const locker = await pool.connect()
  const logged = captureLog()
  const projector = await startProjector({ url: database.url })
  try {
    // The first lock blocks our reading, the second only our writing.
    for (const [table, mode] of [
      ['event', 'ACCESS EXCLUSIVE'],
      ['event_delivery', 'ACCESS EXCLUSIVE'],
      ['event', 'EXCLUSIVE'],
    ]) {
      await locker.query(
        `BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; LOCK ${table} IN ${mode} MODE`,
      )
      await append([said('T-1', 'PENDING', { table, mode }), said('T-2', 'PENDING', { table, mode })])
      await new Promise((resolve) => setTimeout(resolve, 700))
      await locker.query('COMMIT')
      await expect.poll(pending).toEqual({ waiting: 0, aside: 0 })
    }
    expect(logged.text()).toMatch(/timeout/)
    // The trigger makes writing take longer than a statement may.
    await pool.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_sleep(0.4); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION slow()`)
    await append([said('T-3', 'PENDING')])
    await expect.poll(pending).toEqual({ waiting: 0, aside: 0 })
    expect(await folded()).toEqual(['t-1', 't-2', 't-3'])
  } finally {
    locker.release()
    await projector.stop()
    await pool.query('DROP TRIGGER IF EXISTS slow ON event')
    await pool.query(`ALTER DATABASE ${name} RESET ALL`)
  }
})

test('whether a transaction that lost its connection was committed does not matter', async () => {
  const bodies = Array.from({ length: 60 }, (_, n) =>
    said(`T-${n % 12}`, ['PENDING', 'IN_PROGRESS', 'SUCCESS'][n % 3] ?? '', n % 5 === 0 ? {} : { n }),
  )
  await append(bodies)
  await foldAll()
  const rows = await dump()
  await pool.query(`${empty}; INSERT INTO delivery_pending SELECT id FROM delivery`)
  await endLease()

  // Two of three COMMITs fail.
  const cuts = { before: 0, after: 0, none: 0 }
  const ways = ['before', 'after', 'none'] as const
  let commits = 0
  const wire = await startCuttingWire(database.url, (sent) => {
    const cut = sent.includes('COMMIT\0') ? (ways[commits++ % ways.length] ?? 'none') : 'none'
    cuts[cut]++
    return cut
  })
  const projector = await startProjector({ url: wire.url })
  const through = openPool(wire.url, 2)
  try {
    await expect.poll(pending, { timeout: 20_000 }).toEqual({ waiting: 0, aside: 0 })
    expect(await dump()).toEqual(rows)
    await pool.query('DELETE FROM transaction; UPDATE event SET position = 7')
    const end = await rebuild(through, { signal: new AbortController().signal, onProgress: silent })
    expect(end).toMatchObject({ kind: 'finished', done: 60, deadLetters: 0 })
    expect(await dump()).toEqual(rows)
    expect(cuts.before).toBeGreaterThan(1)
    expect(cuts.after).toBeGreaterThan(1)
  } finally {
    await projector.stop()
    await through.end()
    wire.stop()
  }
})
