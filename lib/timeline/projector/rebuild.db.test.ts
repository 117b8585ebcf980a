import crypto from 'node:crypto'
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { requeueForRun } from '#lib/deliveries/queue/enqueue.ts'
import { deliveryMonth } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { foldAndRebuild, foldBatch, foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { rulesVersion } from '../rules/fold.ts'
import { acceptLoss } from './lost-months.ts'
import { startProjector } from './projector.ts'
import { beginRebuild, type RebuildProgress, rebuild } from './rebuild.ts'
import { readBacklog, saveProgress } from './rebuild-progress.ts'

let database: TestDatabase
let pool: pg.Pool
let receiverId: string
const silent = () => undefined
const never = new AbortController().signal

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  receiverId = (await addReceiver(pool)).id
  await madeBy(rulesVersion)
})
afterEach(() =>
  pool.query(`DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM answer_lost; DELETE FROM lease;
    DELETE FROM event; DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM standing; DELETE FROM identifier; DELETE FROM rebuild; DELETE FROM rebuild_part; DELETE FROM setting WHERE key <> 'rules-version'`),
)
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const start = Date.UTC(2026, 10, 20, 14)
const tables = ['event', 'event_delivery', 'transaction', 'standing', 'identifier'] as const
const steps = ['PENDING', 'IN_PROGRESS', 'ON_HOLD', 'SUCCESS', 'FAILED'] as const

const body = (transaction: number, step: string, more: object = {}) => ({
  type: 'fiatToCrypto',
  subType: step,
  uuid: 'c0ffee00-0000-4000-8000-000000000001',
  data: { transactionUuid: `T-${transaction}`, amountFiat: 4.76, walletAddress: `0x${transaction}`, ...more },
})

const append = (bodies: readonly (readonly [seconds: number, body: unknown])[]) =>
  appendPastDeliveries(
    bodies.map(([seconds, said]) => ({
      receivedAt: new Date(start + seconds * 1000),
      receiverId,
      body: Buffer.from(typeof said === 'string' ? said : JSON.stringify(said)),
    })),
    pool,
  )

/** Each transaction has three deliveries, one of them a repetition in other bytes; two more are no events. */
const appendSome = (transactions: number) =>
  append([
    ...Array.from({ length: transactions }, (_, n) => n).flatMap((n) => [
      [n, body(n, 'PENDING')] as const,
      [n + 3, JSON.stringify(body(n, 'PENDING'), null, 1)] as const,
      [n + 60, body(n, steps[n % steps.length] ?? '', { transactionHash: `0xabc${n}` })] as const,
    ]),
    [7, 'no json'],
    [8, { type: 'KYC', uuid: 'U-1', data: { status: 'FULL_USER' } }],
  ])

async function foldAll(size = 500) {
  const work = await takeAllShards(pool)
  await foldWaiting(work, size)
  await work.leases.release()
}

/** The dump shows all projections as text, with the body of each event wherever it is kept. */
const dump = () =>
  Promise.all(
    tables.map(async (table) => {
      const row = table === 'event' ? `to_jsonb(t) - 'envelope' || to_jsonb(event_body(id, envelope))` : 't'
      return (await pool.query(`SELECT (${row})::text AS row FROM ${table} t ORDER BY 1`)).rows
    }),
  )

/** A whole rebuild runs by hand; the queue is folded in batches of `batch`. */
async function rebuildByHand(batch = 500) {
  await beginRebuild(pool)
  const work = await takeAllShards(pool)
  await foldAndRebuild(work, batch)
  await work.leases.release()
  expect((await pool.query('SELECT FROM rebuild WHERE finished_at IS NULL')).rows).toEqual([])
}

async function withProjector(work: () => Promise<void>) {
  const projector = await startProjector({ url: database.url })
  await work().finally(() => projector.stop())
}

/** The rows are recorded as made by these rules. */
const madeBy = (rules: number) =>
  pool.query(
    `INSERT INTO setting (key, value) VALUES ('rules-version', to_jsonb($1::int)) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
    [rules],
  )

const rules = async () =>
  (await pool.query(`SELECT value FROM setting WHERE key = 'rules-version'`)).rows[0]?.value

test('a rebuild of rows that are right changes none of them', async () => {
  await appendSome(10)
  await foldAll()
  const versions = () =>
    Promise.all(
      tables.map(
        async (table) => (await pool.query(`SELECT xmin::text FROM ${table} t ORDER BY t::text`)).rows,
      ),
    )
  const [rows, written] = [await dump(), await versions()]
  await rebuildByHand()
  expect(await dump()).toEqual(rows)
  expect(await versions()).toEqual(written)
  expect((await pool.query('SELECT FROM delivery_pending')).rows).toEqual([])
})

const damages = [
  `DELETE FROM event WHERE sub_type = 'PENDING'`,
  'DELETE FROM event',
  `UPDATE event SET envelope = 'damaged', position = 7, flags = '{late}'`,
  `UPDATE event SET fingerprint = decode(repeat('ab', 32), 'hex')`,
  `UPDATE transaction SET step = 'WRONG', amount_fiat = 4.760`,
  'DELETE FROM transaction',
  `DELETE FROM identifier WHERE subject_id IN ('transaction:t-1', 'transaction:t-3')`,
  `UPDATE identifier SET started_at = 'epoch'`,
  `INSERT INTO identifier SELECT subject_id, 'invented', started_at FROM transaction`,
  `DELETE FROM event_delivery WHERE subject_id IN ('transaction:t-1', 'transaction:t-3')`,
  `UPDATE event_delivery SET answer = 'unsure', seq = 1, received_at = now(), reason = '{}'`,
  // A delivery is put under a subject that it does not belong to, with all consequences.
  `UPDATE event_delivery SET subject_id = 'transaction:elsewhere' WHERE subject_id = 'transaction:t-3';
   UPDATE event SET subject_id = 'transaction:elsewhere' WHERE subject_id = 'transaction:t-3';
   UPDATE transaction SET subject_id = 'transaction:elsewhere' WHERE subject_id = 'transaction:t-3';
   UPDATE identifier SET subject_id = 'transaction:elsewhere' WHERE subject_id = 'transaction:t-3'`,
  tables.map((table) => `DELETE FROM ${table}`).join('; '),
]

test.each(damages)('a rebuild repairs: %s', async (damage) => {
  await appendSome(6)
  await foldAll()
  const rows = await dump()
  await pool.query(damage)
  expect(await dump()).not.toEqual(rows)
  await rebuildByHand(7)
  expect(await dump()).toEqual(rows)
})

test('deliveries that retention dropped are kept and repaired from the stored rows', async () => {
  const ids = await appendSome(20)
  await foldAll()
  const rows = await dump()
  await pool.query('DELETE FROM delivery WHERE id = ANY($1)', [ids.filter((_, n) => n % 2 === 0)])
  await pool.query(
    `UPDATE transaction SET step = 'WRONG'; DELETE FROM identifier; UPDATE event SET position = 9`,
  )
  await rebuildByHand()
  expect(await dump()).toEqual(rows)
})

/** TRUNCATE, DROP TABLE and DETACH do this: no trigger keeps a body. */
const loseLog = (ids: readonly string[]) =>
  pool.query(`ALTER TABLE delivery DISABLE TRIGGER USER; DELETE FROM delivery WHERE id = ANY('{${ids}}');
    ALTER TABLE delivery ENABLE TRIGGER USER`)

test('a rebuild is refused while deliveries are gone without their bodies, and changes no row', async () => {
  const ids = await appendSome(20)
  await foldAll()
  const rows = await withoutBodies()
  await loseLog(ids)
  const lost = await withoutBodies()
  await expect(beginRebuild(pool)).rejects.toThrow('delivery_2026_11')
  await withProjector(async () => {
    await madeBy(rulesVersion - 1)
    await sleep(1_000)
  })
  expect(await withoutBodies()).toEqual(lost)
  expect(lost).toEqual(rows)
  expect((await pool.query('SELECT FROM rebuild')).rows).toEqual([])
  await madeBy(rulesVersion)
})

const lossOf = { 'every delivery': 1, 'every second delivery': 2, 'every third delivery': 3 }

test.each(Object.entries(lossOf))(
  'once the loss of %s is accepted, a rebuild keeps every row',
  async (_, step) => {
    const ids = await append([
      ...Array.from(
        { length: 12 },
        (_, n) => [n, body(n, 'PENDING', { amountFiat: 1, chain: 'x' })] as const,
      ),
      ...Array.from(
        { length: 12 },
        (_, n) =>
          [
            60 + n,
            body(n, steps[n % 5] ?? '', { transactionHash: `0xabc${n}`, walletAddress: `0xf${n}` }),
          ] as const,
      ),
      [
        90,
        {
          type: 'unblockBankAccount',
          uuid: 'U-1',
          data: { uuid: 'A-1', currency: 'EUR', iban: 'DE1', status: 'ACTIVE' },
        },
      ],
      [
        95,
        {
          type: 'senderNameMismatch',
          uuid: 'U-1',
          data: { transactionUuid: 'M-1', direction: 'cryptoToFiat' },
        },
      ],
      [97, 'no json'],
      [98, { type: 'KYC', uuid: 'U-1', data: { status: 'FULL_USER' } }],
      [99, { type: 'KYC', uuid: 'U-1', data: { status: 'SUSPENDED' } }],
    ])
    await foldAll()
    await loseLog(ids.filter((_, n) => n % step === 0))
    const rows = await withoutBodies()
    expect(await acceptLoss(pool, deliveryMonth(new Date(start)))).toBeGreaterThan(0)
    await pool.query('DELETE FROM rebuild')
    await rebuildByHand()
    expect(await withoutBodies()).toEqual(rows)
    const kept = await pool.query('SELECT sum(kept)::int AS kept FROM rebuild_part')
    expect(kept.rows).toEqual([{ kept: ids.filter((_, n) => n % step === 0).length }])
  },
)

/** The dump leaves out the bodies and the times at which they left. */
const withoutBodies = () =>
  Promise.all(
    tables.map(
      async (table) =>
        (
          await pool.query(
            `SELECT to_jsonb(t) - 'envelope' - 'body_left_at' AS row FROM ${table} t ORDER BY 1`,
          )
        ).rows,
    ),
  )

test('a new delivery for an old transaction whose bodies are gone is folded, and nothing is missing', async () => {
  const ids = await append([
    [0, body(1, 'PENDING', { fees: 0.5 })],
    [60, body(1, 'IN_PROGRESS', { chain: 'base', currencyFiat: 'EUR' })],
  ])
  await foldAll()
  await loseLog(ids)
  await append([[120, body(1, 'SUCCESS', { transactionHash: '0xabc' })]])
  await foldAll()
  expect((await pool.query('SELECT error FROM delivery_pending')).rows).toEqual([])
  const { rows } = await pool.query(
    'SELECT step, fees, chain, currency_fiat, transaction_hash FROM transaction',
  )
  expect(rows).toEqual([
    { step: 'SUCCESS', fees: '0.5', chain: 'base', currency_fiat: 'EUR', transaction_hash: '0xabc' },
  ])
  expect((await pool.query('SELECT count(*)::int AS n FROM event')).rows).toEqual([{ n: 3 }])
})

test('an event keeps its body only when the log no longer does', async () => {
  const [first = ''] = await append([
    [0, body(1, 'PENDING')],
    [60, body(1, 'SUCCESS')],
  ])
  await foldAll()
  const kept = async () =>
    (await pool.query('SELECT id FROM event WHERE envelope IS NOT NULL')).rows.map(({ id }) => id)
  expect(await kept()).toEqual([])
  // The rows move from the default partition when the partition of their month is created.
  await pool.query(
    `WITH moved AS (DELETE FROM delivery WHERE id = $1 RETURNING *) INSERT INTO delivery SELECT * FROM moved`,
    [first],
  )
  expect(await kept()).toEqual([])
  await pool.query('DELETE FROM delivery WHERE id = $1', [first])
  expect(await kept()).toEqual([first])
  await rebuildByHand()
  expect(await kept()).toEqual([first])
  // Older versions copied every body; a copy of a body that the log holds is removed.
  await pool.query(`UPDATE event SET envelope = 'a copy' WHERE id <> $1`, [first])
  await rebuildByHand()
  expect(await kept()).toEqual([first])
})

test('a rebuild that runs while deliveries arrive ends in the rows that they would have made anyway', async () => {
  await appendSome(60)
  await foldAll()
  const progress: RebuildProgress[] = []
  await withProjector(async () => {
    const arriving = (async () => {
      for (let n = 0; n < 20; n++) await append([[100 + n, body(n * 3, 'SUCCESS', { late: n })]])
    })()
    await rebuild(pool, { signal: never, onProgress: (now) => progress.push(now) })
    await arriving
    await expect.poll(async () => (await pool.query('SELECT FROM delivery_pending')).rows).toEqual([])
  })
  const rows = await dump()
  expect(progress.at(-1)?.done).toBe(progress.at(-1)?.total)
  await pool.query(
    `${tables.map((table) => `DELETE FROM ${table}`).join('; ')}; INSERT INTO delivery_pending SELECT id FROM delivery`,
  )
  await foldAll()
  expect(await dump()).toEqual(rows)
})

test('a large subject that was already rebuilt is only folded with its new deliveries', async () => {
  const ids = await append(
    Array.from({ length: 90 }, (_, n) => [n * 9, body(1, n % 2 === 0 ? 'PENDING' : 'ON_HOLD', { n: n % 7 })]),
  )
  await foldAll()
  await pool.query('DELETE FROM event')
  const run = crypto.randomUUID()
  const work = await takeAllShards(pool)
  await pool.query(requeueForRun(ids.slice(0, 10), run))
  await foldBatch(work)
  await append([[2_000, body(1, 'SUCCESS')]])
  await pool.query(`INSERT INTO answer_lost (delivery_id, cause) VALUES ('${ids[80]}', 'connection-closed')`)
  await pool.query(requeueForRun(ids, run))
  await foldBatch(work)
  expect((await pool.query('SELECT FROM delivery_pending')).rows).toEqual([])
  await work.leases.release()
  const rows = await dump()
  expect(JSON.stringify(rows)).toContain('unsure')
  await pool.query(
    `${tables.map((table) => `DELETE FROM ${table}`).join('; ')}; INSERT INTO delivery_pending SELECT id FROM delivery`,
  )
  await foldAll()
  expect(await dump()).toEqual(rows)
})

test('an interrupted rebuild continues where it stopped, and reports that', async () => {
  await appendSome(100)
  await foldAll()
  const rows = await dump()
  await pool.query('DELETE FROM identifier')
  const stop = new AbortController()
  await withProjector(async () => {
    const first = await rebuild(pool, { signal: stop.signal, onProgress: () => stop.abort() })
    expect(first).toMatchObject({ kind: 'interrupted', total: 302 })
    const begun = await beginRebuild(pool)
    expect(begun.resumed).toBe(true)
    const second = await rebuild(pool, { signal: never, onProgress: silent })
    expect(second).toMatchObject({ kind: 'finished', done: 302, total: 302, deadLetters: 0 })
    expect((await beginRebuild(pool)).resumed).toBe(false)
  })
  expect(await dump()).toEqual(rows)
})

test('a rebuild that cannot be written down is not begun', async () => {
  const refuse = () => Promise.reject(new Error('it cannot be written down'))
  const before = (await pool.query('SELECT id FROM rebuild ORDER BY id')).rows
  const wanted = { signal: never, onProgress: silent, onBegin: refuse }
  await expect(rebuild(pool, wanted)).rejects.toThrow('it cannot be written down')
  expect((await pool.query('SELECT id FROM rebuild ORDER BY id')).rows).toEqual(before)
})

test('a delivery that is requeued while it is being folded stays in the queue', async () => {
  const [id = ''] = await append([[0, body(1, 'PENDING')]])
  const work = await takeAllShards(pool)
  // The change happens between the reading of the delivery and the end of its transaction.
  await pool.query(`
    CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE delivery_pending SET run = '00000000-0000-4000-8000-000000000001'; RETURN NEW; END $$;
    CREATE TRIGGER mark BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION mark()`)
  await foldBatch(work)
  expect((await pool.query('SELECT delivery_id FROM delivery_pending')).rows).toEqual([{ delivery_id: id }])
  await pool.query('DROP TRIGGER mark ON event; DROP FUNCTION mark')
  await foldWaiting(work)
  expect((await pool.query('SELECT FROM delivery_pending')).rows).toEqual([])
  await work.leases.release()
})

test('any deliveries, damage and batch sizes end in the rows of a first fold', async () => {
  const arrival = fc.record({
    seconds: fc.integer({ min: 0, max: 200 }),
    transaction: fc.integer({ min: 0, max: 2 }),
    step: fc.constantFrom(...steps),
    // The bytes differ, but the content is the same.
    space: fc.constantFrom(0, 1),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 25 }),
      fc.constantFrom(...damages),
      fc.integer({ min: 1, max: 9 }),
      async (arrivals, damage, batch) => {
        await pool.query(
          ['delivery', 'delivery_pending', ...tables].map((table) => `DELETE FROM ${table}`).join('; '),
        )
        await append(
          arrivals.map(({ seconds, transaction, step, space }) => [
            seconds,
            JSON.stringify(body(transaction, step, { note: crypto.randomInt(4) }), null, space),
          ]),
        )
        await foldAll()
        const rows = await dump()
        await pool.query(damage)
        await rebuildByHand(batch)
        expect(await dump()).toEqual(rows)
      },
    ),
    { numRuns: 4, endOnFailure: true },
  )
})

test('rows of another rules version are rebuilt automatically while deliveries arrive', async () => {
  await appendSome(100)
  await foldAll()
  const rows = await dump()
  await pool.query(`UPDATE event SET rank = 4, flags = '{}'; UPDATE transaction SET step = 'AS_OF_OLD'`)
  // The older rules began this run and did not finish it.
  const { id } = await beginRebuild(pool)
  await pool.query('UPDATE rebuild SET rules_version = 0')
  await madeBy(0)
  expect((await readBacklog(pool)).outdated).toBe(true)
  await withProjector(async () => {
    await append([[900, { type: 'brandNew', uuid: 'U-1', data: { status: 'LATER' } }]])
    await expect.poll(rules, { timeout: 15_000 }).toBe(rulesVersion)
    await expect.poll(async () => (await pool.query('SELECT FROM delivery_pending')).rows).toEqual([])
  })
  expect((await readBacklog(pool)).outdated).toBe(false)
  expect((await beginRebuild(pool)).id).not.toBe(id)
  await pool.query(`DELETE FROM event WHERE status = 'LATER'`)
  await pool.query(`DELETE FROM event_delivery WHERE received_at >= to_timestamp(${start / 1000 + 900})`)
  expect(await dump()).toEqual(rows)
})

test('a projector counts as active while its lease is good, and not once the clock went back', async () => {
  const active = async () => (await readBacklog(pool)).active
  expect(await active()).toBe(false)
  const { leases } = await takeAllShards(pool)
  expect(await active()).toBe(true)
  await pool.query(`UPDATE lease SET expires_at = expires_at + interval '1 hour'`)
  expect(await active()).toBe(false)
  await leases.release()
})

test('rows of these rules, and a database without any, are left alone', async () => {
  await pool.query(`DELETE FROM setting WHERE key = 'rules-version'`)
  const logged = captureLog()
  const projector = () => startProjector({ url: database.url })
  const first = await projector()
  await expect.poll(rules).toBe(rulesVersion)
  await appendSome(3)
  await expect.poll(async () => (await pool.query('SELECT FROM delivery_pending')).rows).toEqual([])
  await first.stop()
  await (await projector()).stop()
  expect(logged.lines).toEqual([])
  logged.stop()
  expect((await pool.query('SELECT FROM rebuild')).rows).toEqual([])
})

test('after another version took over and rebuilt, the next projector rebuilds by its own rules', async () => {
  await appendSome(3)
  await foldAll()
  const { id } = await beginRebuild(pool)
  await pool.query('UPDATE rebuild SET rules_version = 0')
  await withProjector(async () => {
    const unfinished = 'SELECT FROM rebuild WHERE finished_at IS NULL'
    await expect
      .poll(async () => (await pool.query(`${unfinished} OR id NOT IN ($1)`, [id])).rowCount)
      .toBe(1)
    await expect.poll(async () => (await pool.query(unfinished)).rowCount).toBe(0)
    const runs = await pool.query(
      'SELECT id = $1 AS theirs, rules_version, finished_at IS NOT NULL AS ended FROM rebuild ORDER BY 1',
      [id],
    )
    expect(runs.rows).toEqual([
      { theirs: false, rules_version: rulesVersion, ended: true },
      { theirs: true, rules_version: 0, ended: true },
    ])
  })
})

test('a subject that cannot be rebuilt affects nothing else, and its deliveries become dead letters', async () => {
  await appendSome(5)
  await foldAll()
  const rows = await dump()
  await pool.query(`UPDATE event SET position = 7;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a bug'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.subject_id = 'transaction:t-2') EXECUTE FUNCTION refuse()`)
  await rebuildByHand()
  const dead = await pool.query('SELECT error FROM delivery_pending WHERE dead_lettered_at IS NOT NULL')
  expect(dead.rows).toEqual(Array.from({ length: 3 }, () => ({ error: 'a bug' })))
  await pool.query('DROP TRIGGER refuse ON event; DROP FUNCTION refuse')
  await rebuildByHand()
  expect(await dump()).toEqual(rows)
})

test('two projectors that finish their last parts at the same time end the rebuild', async () => {
  const { id } = await beginRebuild(pool, 1)
  const of = { rebuild: id, cursor: 'z', count: 0, kept: 0, finished: true }
  const [one, other] = [await pool.connect(), await pool.connect()]
  await one.query('BEGIN')
  await saveProgress(one, { ...of, parts: [0] })
  await other.query('BEGIN')
  const second = saveProgress(other, { ...of, parts: [1] })
  // The second call may wait for the first one and does not know of it.
  await Promise.race([second, sleep(300)])
  await one.query('COMMIT')
  await second
  await other.query('COMMIT')
  one.release()
  other.release()
  expect((await readBacklog(pool)).rebuild).toBeNull()
})

test('a rebuild of which every part is done, and which nobody ended, is ended by whoever would go on with it', async () => {
  const { id } = await beginRebuild(pool, 1)
  await pool.query('UPDATE rebuild_part SET finished = true WHERE rebuild_id = $1', [id])
  expect((await readBacklog(pool)).rebuild).not.toBeNull()
  const { resumed } = await beginRebuild(pool, 1)
  expect(resumed).toBe(true)
  expect(await readBacklog(pool)).toMatchObject({ rebuild: null, outdated: false })
})
