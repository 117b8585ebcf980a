import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { rewriteSubjects } from '#lib/people/erasure/rewrite-subjects.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { attachMonth, createMonth, deliveryMonth } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { factsOf } from '#lib/timeline/labels/event-facts.ts'
import { endBody } from '#lib/timeline/projector/erased-people.ts'
import { findLostMonths } from '#lib/timeline/projector/lost-months.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { rebuild } from '#lib/timeline/projector/rebuild.ts'
import { rulesVersion } from '#lib/timeline/rules/fold.ts'
import { readAccount, readDetails } from '#lib/timeline/subject-details.ts'
import { revealBody } from '#lib/transactions/reveal/reveal.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { cutoffsOf, type LogAges, planRemoval } from './plan-removal.ts'
import { type RemovalStep, RemovalWaits, removeMonths } from './remove-months.ts'

let database: TestConfiguration
let pool: pg.Pool
let receiverId: string
const now = new Date()
const tables = ['event', 'event_delivery', 'transaction', 'standing', 'identifier'] as const

beforeAll(async () => {
  database = await startDatabase()
  pool = openPool(database.url)
  receiverId = (await addReceiver(pool)).id
  await madeBy(rulesVersion)
})
afterEach(() =>
  pool.query(`DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM lease; DELETE FROM transaction_note;
    DELETE FROM event; DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM standing; DELETE FROM identifier;
    DELETE FROM rebuild; DELETE FROM rebuild_part; DELETE FROM setting WHERE key <> 'rules-version'`),
)
afterAll(async () => {
  await pool.end()
  await database.stop()
})

const madeBy = (rules: number) =>
  pool.query(
    `INSERT INTO setting (key, value) VALUES ('rules-version', to_jsonb($1::int))
     ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
    [rules],
  )

/** The time is the middle of the month so many months ago. */
const monthsAgo = (months: number, more = 0) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15) + more * 1_000)

async function makeMonths(most: number) {
  for (let age = most; age > 1; age--) {
    const month = deliveryMonth(now, -age)
    const { rowCount } = await pool.query('SELECT WHERE to_regclass($1) IS NULL', [month.name])
    if (rowCount)
      await pool.query(createMonth(month, month.name) + attachMonth(month, month.name, 'delivery'))
  }
}

const months = async () =>
  (
    await pool.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'delivery'::regclass`,
    )
  ).rows.map(({ name }) => name)

const step = (transaction: string, subType: string, more: object = {}) => ({
  type: 'fiatToCrypto',
  subType,
  uuid: 'c0ffee00-0000-4000-8000-000000000001',
  unread: 'x'.repeat(300),
  data: { transactionUuid: transaction, amountFiat: 4.76, walletAddress: `0x${transaction}`, ...more },
})

const append = (bodies: readonly (readonly [at: Date, body: unknown])[]) =>
  appendPastDeliveries(
    bodies.map(([receivedAt, body]) => ({ receivedAt, receiverId, body: Buffer.from(JSON.stringify(body)) })),
    pool,
  )

async function fold() {
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  await work.leases.release()
}

/** Each month has a finished and an open transaction. There are also statuses of a person and of two accounts. */
async function appendMonths(most: number) {
  await makeMonths(most)
  const ids = await append(
    Array.from({ length: most + 1 }, (_, index) => most - index).flatMap((age) => [
      [monthsAgo(age), step(`T-${age}`, 'PENDING', { fees: 0.5 })] as const,
      [monthsAgo(age, 9), step(`T-${age}`, 'PENDING', { fees: 0.5 })] as const,
      [monthsAgo(age, 60), step(`T-${age}`, 'SUCCESS', { transactionHash: `0xabc${age}` })] as const,
      [monthsAgo(age, 90), step(`O-${age}`, 'ON_HOLD', { status: 'ON_HOLD_KYC' })] as const,
    ]),
  )
  await append([
    [monthsAgo(most, 100), { type: 'KYC', uuid: 'U-1', data: { status: 'FULL_USER' } }],
    [monthsAgo(most, 110), account('A-1', 'ACTIVE')],
    [monthsAgo(most, 120), account('A-2', 'FAILED_CREATION')],
    [monthsAgo(most, 130), 'no object'],
  ])
  await fold()
  return ids
}

const account = (uuid: string, status: string) => ({
  type: 'unblockBankAccount',
  subType: 'statusUpdate',
  uuid: 'U-1',
  data: { uuid, status, currency: 'EUR', iban: `DE00${uuid}`, bank_name: 'A bank' },
})

async function remove(ages: LogAges): Promise<RemovalStep[]> {
  return Array.fromAsync(removeMonths(pool, database.url, cutoffsOf(ages, now)))
}

const rowsOf = (where = 'true') =>
  Promise.all(
    tables.map(
      async (table) =>
        (
          await pool.query(
            `SELECT to_jsonb(t) - 'envelope' - 'body_left_at' AS row FROM ${table} t WHERE ${where} ORDER BY 1`,
          )
        ).rows,
    ),
  )

const subjects = async () =>
  (await pool.query<{ id: string }>('SELECT DISTINCT subject_id AS id FROM event ORDER BY 1')).rows.map(
    ({ id }) => id,
  )

async function rebuildAll() {
  const projector = await startProjector({ url: database.url })
  await rebuild(pool, { signal: new AbortController().signal, onProgress: () => undefined })
  await projector.stop()
}

test('bodies move from their months, and no row changes, not even in a rebuild', async () => {
  await appendMonths(6)
  const [rows, before] = [await rowsOf(), await months()]
  const plan = await planRemoval(pool, cutoffsOf({ bodies: 3, events: null }, now))
  expect(plan.months.map(({ name }) => name)).toEqual([6, 5, 4].map((age) => deliveryMonth(now, -age).name))
  expect(await months()).toEqual(before)
  const steps = await remove({ bodies: 3, events: null })
  expect(steps.filter(({ kind }) => kind === 'dropped')).toHaveLength(3)
  expect(before.filter((name) => !plan.months.some((month) => month.name === name)).sort()).toEqual(
    (await months()).sort(),
  )
  expect(await rowsOf()).toEqual(rows)
  expect(await findLostMonths(pool)).toEqual([])
  await rebuildAll()
  expect(await rowsOf()).toEqual(rows)
  const { rows: kept } = await pool.query<{ whole: string; short: string }>(
    `SELECT max(octet_length(envelope)) < 400 AS short, bool_or(convert_from(envelope, 'UTF8') LIKE '%xxx%') AS whole
     FROM event WHERE body_left_at IS NOT NULL`,
  )
  expect(kept).toEqual([{ whole: false, short: true }])
})

test('a large log is read one month after the other, and its large months are estimated', async () => {
  await appendMonths(4)
  const [large, small] = [4, 3].map((age) => deliveryMonth(now, -age).name)
  await pool.query(`UPDATE pg_class SET reltuples = 250000 WHERE relname = $1`, [large])
  let underWay = 0
  const asked: number[] = []
  const watched = new Proxy(pool, {
    get: (target, name) =>
      name === 'query'
        ? async (...words: Parameters<typeof pool.query>) => {
            asked.push(++underWay)
            try {
              return await target.query(...words)
            } finally {
              underWay--
            }
          }
        : Reflect.get(target, name),
  })
  const { months: counted } = await planRemoval(watched, cutoffsOf({ bodies: 2, events: 2 }, now))
  expect(new Set(asked)).toEqual(new Set([1]))
  expect(counted).toMatchObject([
    { name: large, deliveries: 250_000, isEstimate: true },
    { name: small, deliveries: expect.any(Number), isEstimate: false },
  ])
  await pool.query(`UPDATE pg_class SET reltuples = -1 WHERE relname = $1`, [large])
})

test('pages show the kept part of a body, and say that the rest is gone', async () => {
  await appendMonths(4)
  const before = await readDetails('admin', 'transaction:t-4')
  const account = await readAccount('a-1')
  await remove({ bodies: 2, events: null })
  const after = await readDetails('admin', 'transaction:t-4')
  expect(before.map(({ bodyLeft, wholeBody }) => [bodyLeft, wholeBody])).toEqual([
    [null, 'reveal'],
    [null, 'reveal'],
  ])
  expect(after.map(({ bodyLeft, wholeBody }) => [bodyLeft, wholeBody])).toEqual([
    ['shortened', 'hidden'],
    ['shortened', 'hidden'],
  ])
  expect(after.map((event) => factsOf(event))).toEqual(before.map((event) => factsOf(event)))
  expect(await readAccount('a-1')).toEqual(account)
  const [event = { id: '' }] = after
  const revealed = revealBody(callerWith('admin'), { event: event.id, reason: 'a test' }, newBrowser())
  await expect(revealed).rejects.toThrow('The body of this event was removed.')
  const [unreadable] = await readDetails(
    'admin',
    (await subjects()).find((id) => id.startsWith('unknown:')) ?? '',
  )
  expect(unreadable).toMatchObject({ bodyLeft: 'lost', wholeBody: 'hidden', unreadable: 'not-an-object' })
})

test('events are removed with whole finished subjects; open ones and those in force stay', async () => {
  await appendMonths(6)
  await pool.query(
    `INSERT INTO transaction_note (subject_id, id, text, author) VALUES ('transaction:t-5', gen_random_uuid(), 'asked', '')`,
  )
  await append([[monthsAgo(1), step('T-6', 'REFUNDED')]])
  await fold()
  const staying = await rowsOf(
    `subject_id NOT IN ('transaction:t-4', 'bank-account:a-2') AND subject_id NOT LIKE 'unknown:%'`,
  )
  const plan = await planRemoval(pool, cutoffsOf({ bodies: null, events: 3 }, now))
  expect(plan.subjects).toEqual({ transaction: 1, 'bank-account': 1, unknown: 1 })
  expect(plan.staying).toEqual({ transaction: 4, 'bank-account': 1, entity: 1 })
  await remove({ bodies: null, events: 3 })
  expect(await rowsOf()).toEqual(staying)
  await remove({ bodies: 3, events: 3 })
  expect(await rowsOf()).toEqual(staying)
  await rebuildAll()
  expect(await rowsOf()).toEqual(staying)
  expect((await pool.query('SELECT FROM transaction_note')).rowCount).toBe(1)
  expect(await subjects()).toContain('transaction:o-6')
})

test('a delivery that could not be folded stays, and so does its month', async () => {
  const [dead = ''] = await appendMonths(4)
  const [unread = ''] = await append([[monthsAgo(4, 200), step('D-1', 'PENDING')]])
  await pool.query(`UPDATE delivery_pending SET dead_lettered_at = now(), error = 'a test'`)
  await pool.query(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) VALUES ($1, now(), 'a test')`,
    [dead],
  )
  await remove({ bodies: 2, events: 2 })
  const { rows } = await pool.query('SELECT id FROM delivery WHERE id < $1 ORDER BY id', [
    deliveryMonth(now, -2).from,
  ])
  // The repetition needs the body of the dead letter, whose event is not shortened.
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([dead, unread]))
  expect(await subjects()).toContain('transaction:t-4')
  expect(await months()).toContain(deliveryMonth(now, -4).name)
  await pool.query('DELETE FROM delivery_pending WHERE delivery_id = $1', [dead])
  await pool.query('UPDATE delivery_pending SET dead_lettered_at = NULL')
  await fold()
  await remove({ bodies: 2, events: 2 })
  expect(await subjects()).toContain('transaction:d-1')
  expect(await months()).not.toContain(deliveryMonth(now, -4).name)
})

test('the next run continues an interrupted one, and two runs never work at once', async () => {
  await appendMonths(5)
  const rows = await rowsOf()
  const cutoffs = cutoffsOf({ bodies: 2, events: null }, now)
  const first = removeMonths(pool, database.url, cutoffs)
  expect((await first.next()).done).toBe(false)
  await expect(removeMonths(pool, database.url, cutoffs).next()).rejects.toThrow(RemovalWaits)
  await first.return()
  expect(await rowsOf()).toEqual(rows)
  await remove({ bodies: 2, events: null })
  expect((await pool.query('SELECT FROM delivery WHERE id < $1', [cutoffs.bodies])).rows).toEqual([])
  expect(await rowsOf()).toEqual(rows)
})

test('waits for a rebuild, for an erasure, and while months are being made', async () => {
  await appendMonths(4)
  const removing = () => remove({ bodies: 2, events: 2 })
  await pool.query(`INSERT INTO rebuild (id, rules_version, total) VALUES (gen_random_uuid(), 1, 0)`)
  await expect(removing()).rejects.toThrow('A rebuild is under way.')
  await madeBy(rulesVersion - 1)
  await pool.query('DELETE FROM rebuild')
  await expect(removing()).rejects.toThrow('a rebuild comes first')
  await madeBy(rulesVersion)
  await pool.query('CREATE TABLE delivery_moving (id uuid)')
  await expect(removing()).rejects.toThrow('Months of the log are being made.')
  await pool.query(
    `DROP TABLE delivery_moving; INSERT INTO erasure (id, user_digest, salt, stage) VALUES (gen_random_uuid(), '', '', '')`,
  )
  await expect(removing()).rejects.toThrow('A person is being erased.')
  await pool.query('DELETE FROM erasure')
  await removing()
})

test('a month that somebody reads is dropped later, and no delivery waits for it', async () => {
  await appendMonths(4)
  const reader = await pool.connect()
  await reader.query('BEGIN; SELECT FROM delivery LIMIT 1')
  const steps = await remove({ bodies: 2, events: null })
  expect(steps.filter(({ kind }) => kind === 'dropped')).toEqual([])
  await reader.query('COMMIT')
  reader.release()
  expect((await remove({ bodies: 2, events: null })).map(({ kind }) => kind)).toEqual(['dropped', 'dropped'])
})

test('deliveries that arrive meanwhile are folded, also for old transactions', async () => {
  await appendMonths(6)
  const projector = await startProjector({ url: database.url })
  const sent: string[] = []
  for await (const _ of removeMonths(pool, database.url, cutoffsOf({ bodies: 2, events: 3 }, now))) {
    const n = sent.length
    sent.push(...(await append([[new Date(), step(n % 2 ? `O-${n % 6}` : `N-${n}`, 'IN_PROGRESS', { n })]])))
  }
  expect(sent.length).toBeGreaterThan(5)
  const folded = async () =>
    (await pool.query('SELECT FROM event_delivery WHERE delivery_id = ANY($1::uuid[])', [sent])).rowCount
  await expect.poll(folded, { timeout: 20_000 }).toBe(sent.length)
  await projector.stop()
  const rows = await rowsOf()
  expect((await pool.query('SELECT FROM delivery_pending')).rows).toEqual([])
  await rebuildAll()
  expect(await rowsOf()).toEqual(rows)
})

test('a shortened body that is ended or erased reveals no more than any other, nor does its fingerprint', async () => {
  await appendMonths(4)
  await remove({ bodies: 2, events: null })
  const fingerprints = async () =>
    (await pool.query(`SELECT fingerprint FROM event WHERE subject_id = 'transaction:t-4'`)).rows
  const before = await fingerprints()
  await inTransaction(pool, (tx) =>
    rewriteSubjects(
      tx,
      ['transaction:t-4'],
      async () =>
        ({ body }) =>
          endBody(body),
    ),
  )
  const { rows } = await pool.query<{ body: string }>(
    `SELECT convert_from(envelope, 'UTF8') AS body FROM event WHERE subject_id = 'transaction:t-4'`,
  )
  for (const { body } of rows) expect(body).not.toContain('0xT-4')
  expect((await pool.query(`SELECT FROM identifier WHERE value = '0xt-4'`)).rows).toEqual([])
  expect(await fingerprints()).not.toEqual(before)
  const all = await rowsOf()
  await rebuildAll()
  expect(await rowsOf()).toEqual(all)
})
