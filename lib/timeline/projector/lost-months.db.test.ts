import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { StartReplaySchema } from '#lib/endpoints/replays/replay-forms.ts'
import { startReplay } from '#lib/endpoints/replays/start-replay.ts'
import { endOldData } from '#lib/people/erasure/end-old-data.ts'
import { beginErasure, runErasure } from '#lib/people/erasure/erase-user.ts'
import { settleMonthsBack } from '#lib/people/erasure/months-back.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import {
  attachMonth,
  createMonth,
  type DeliveryMonth,
  deliveryMonth,
  monthBegin,
} from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { aPerson, bodiesOf, valuesOf } from '../../../test/sample-people.ts'
import { configure } from '../../../test/service.ts'
import { acceptLoss, findLostMonths, noteLostMonths, readNotedMonths } from './lost-months.ts'
import { startProjector } from './projector.ts'
import { rebuild } from './rebuild.ts'

let database: TestDatabase
let pool: pg.Pool
let receiverId: string
const start = new Date()
const [oldest, older] = [deliveryMonth(start, -5), deliveryMonth(start, -4)]

beforeAll(async () => {
  database = await createTestDatabase()
  configure({ DATABASE_URL: database.url })
  pool = openPool(database.url)
  receiverId = (await addReceiver(pool)).id
})
beforeEach(async () => {
  for (const month of [oldest, older])
    await pool.query(createMonth(month, month.name) + attachMonth(month, month.name, 'delivery'))
  await append(oldest, 3)
  await append(older, 250)
})
afterEach(() =>
  pool.query(`DROP TABLE IF EXISTS ${oldest.name}, ${older.name}; DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM lease;
    DELETE FROM event; DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM identifier; DELETE FROM standing; DELETE FROM erasure; DELETE FROM rebuild;
    DELETE FROM setting`),
)
afterAll(async () => {
  await pool.end()
  await database.drop()
})

let said = 0

const append = (month: DeliveryMonth, many: number) =>
  appendBodies(
    month,
    Array.from({ length: many }, (_, n) => ({
      type: 'KYC',
      uuid: `u-${n % 7}`,
      data: { status: 'FULL_USER', n: said++ },
    })),
  )

async function appendBodies(month: DeliveryMonth, bodies: readonly object[]) {
  await appendPastDeliveries(
    bodies.map((body, n) => ({
      receivedAt: new Date(monthBegin(month) + 86_400_000 + n * 1_000),
      receiverId,
      body: Buffer.from(JSON.stringify(body)),
    })),
    pool,
  )
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  await work.leases.release()
}

const lost = async () => (await findLostMonths(pool)).map(({ name, state }) => [name, state])

test('a log with all its months lacks none, and neither does one whose rows were deleted', async () => {
  expect(await lost()).toEqual([])
  await pool.query(`DELETE FROM ${oldest.name}`)
  await pool.query(`DROP TABLE ${oldest.name}`)
  expect(await lost()).toEqual([])
})

test.each([
  ['DROP TABLE', () => `DROP TABLE ${older.name}`, 'gone'],
  ['DETACH', () => `ALTER TABLE delivery DETACH PARTITION ${older.name}`, 'detached'],
  ['TRUNCATE', () => `TRUNCATE ${older.name}`, 'emptied'],
  [
    'TRUNCATE of what was left after some rows were deleted',
    () =>
      `DELETE FROM ${older.name} WHERE id IN (SELECT id FROM ${older.name} ORDER BY id LIMIT 150); TRUNCATE ${older.name}`,
    'emptied',
  ],
] as const)('%s is noticed', async (_, sql, state) => {
  await pool.query(sql())
  expect(await lost()).toEqual([[older.name, state]])
})

test('is noticed too when deliveries came to the month afterwards', async () => {
  await pool.query(`TRUNCATE ${older.name}`)
  await append(older, 150)
  expect(await lost()).toEqual([[older.name, 'emptied']])
})

test('is noticed no more once the month is back, or its loss was accepted', async () => {
  await pool.query(`ALTER TABLE delivery DETACH PARTITION ${older.name}; TRUNCATE ${oldest.name}`)
  await noteLostMonths(pool)
  expect((await readNotedMonths(pool)).map(({ name }) => name)).toEqual([oldest.name, older.name])
  await pool.query(attachMonth(older, older.name, 'delivery'))
  expect(await acceptLoss(pool, oldest)).toBe(3)
  expect(await acceptLoss(pool, older)).toBe(0)
  expect(await noteLostMonths(pool)).toEqual([])
  expect(await readNotedMonths(pool)).toEqual([])
})

test('all events of a month are marked, however many there are', async () => {
  await append(older, 50)
  await pool.query(`DROP TABLE ${older.name}`)
  expect(await acceptLoss(pool, older)).toBe(300)
  expect(await lost()).toEqual([])
})

/** The text is all that the log and its rows hold. */
async function everything() {
  const texts: string[] = []
  for (const table of ['event', 'event_delivery', 'transaction', 'standing', 'identifier']) {
    const { rows } = await pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  const { rows } = await pool.query<{ body: string }>(`
    SELECT encode(body, 'escape') AS body FROM delivery
    UNION ALL SELECT encode(envelope, 'escape') FROM event WHERE envelope IS NOT NULL`)
  return [...texts, ...rows.map(({ body }) => body)].join('\n').toLowerCase()
}

const detach = () => pool.query(`ALTER TABLE delivery DETACH PARTITION ${oldest.name}`)
const attach = () => pool.query(attachMonth(oldest, oldest.name, 'delivery'))

async function rebuildAll() {
  const projector = await startProjector({ url: database.url })
  await rebuild(pool, { signal: new AbortController().signal, onProgress: () => undefined }).finally(() =>
    projector.stop(),
  )
}

const replayAll = () =>
  startReplay(
    callerWith('admin'),
    StartReplaySchema.parse({ from: '2000-01-01T00:00', kind: 'fold', reason: 'a test' }),
    newBrowser(),
  )

const erase = async (userUuid: string) =>
  runErasure(pool, await inTransaction(pool, (tx) => beginErasure(tx, userUuid)))

test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  ['was detached', detach, attach],
  [
    'was dropped, and restored from a dump',
    () => pool.query(`CREATE TABLE dump AS SELECT * FROM ${oldest.name}; DROP TABLE ${oldest.name}`),
    () =>
      pool.query(`${createMonth(oldest, oldest.name)} INSERT INTO ${oldest.name} SELECT * FROM dump; DROP TABLE dump;
        ${attachMonth(oldest, oldest.name, 'delivery')}`),
  ],
  [
    'was emptied, and filled again',
    () => pool.query(`CREATE TABLE dump AS SELECT * FROM ${oldest.name}; TRUNCATE ${oldest.name}`),
    () => pool.query(`INSERT INTO ${oldest.name} SELECT * FROM dump; DROP TABLE dump`),
  ],
  ['was detached, and its loss accepted', () => detach().then(() => acceptLoss(pool, oldest)), attach],
])('a month that %s gives nothing back of people who were erased meanwhile', async (_, take, bring) => {
  const [ana, other] = [aPerson(), aPerson()]
  await appendBodies(oldest, [
    ...bodiesOf(ana),
    // Only her own bodies say whose account this is.
    {
      type: 'cryptoToFiat',
      subType: 'SUCCESS',
      uuid: other.userUuid,
      data: { transactionUuid: other.transactions[0], note: `to ${ana.iban}` },
    },
  ])
  await take()
  await erase(ana.userUuid)
  await bring()
  await expect(rebuildAll()).rejects.toThrow('Before anything is rebuilt')
  await expect(replayAll()).rejects.toMatchObject({ code: 'month-unread' })
  await append(older, 5)
  await settleMonthsBack(pool)
  const gone = async () => {
    const text = await everything()
    for (const value of valuesOf(ana)) expect(text.includes(value.toLowerCase()), value).toBe(false)
    expect(text).toContain(other.userUuid)
  }
  await gone()
  await rebuildAll()
  await gone()
  const { rows } = await pool.query(
    `SELECT outcome, details->>'month' AS month FROM audit WHERE action = 'user.erase' ORDER BY id DESC LIMIT 3`,
  )
  expect(rows.reverse()).toEqual([
    { outcome: 'done', month: null },
    { outcome: 'begun', month: oldest.name },
    { outcome: 'done', month: null },
  ])
})

test('a month is settled after a process that died while it began the erasures again', async () => {
  const ana = aPerson()
  await appendBodies(oldest, bodiesOf(ana))
  await detach()
  await erase(ana.userUuid)
  await attach()
  await noteLostMonths(pool)
  const [before] = (await pool.query('SELECT id FROM erasure')).rows
  await pool.query(`UPDATE erasure SET finished_at = NULL, stage = 'subjects', working = $1`, [
    { userUuid: ana.userUuid, values: [ana.userUuid] },
  ])
  await settleMonthsBack(pool)
  await expect(rebuildAll()).rejects.toThrow('Before anything is rebuilt')
  await runErasure(pool, before.id)
  await settleMonthsBack(pool)
  await rebuildAll()
  const text = await everything()
  for (const value of valuesOf(ana)) expect(text.includes(value.toLowerCase()), value).toBe(false)
})

test('old personal data ends in a month that is back, also after a rebuild', async () => {
  const ana = aPerson()
  await appendBodies(oldest, bodiesOf(ana))
  await pool.query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"retentionDays": {"fiatToCrypto": 30, "KYC": 30, "otherEvents": 30}}')`,
  )
  await detach()
  await endOldData(pool)
  await attach()
  await settleMonthsBack(pool)
  await rebuildAll()
  const bodies = async () =>
    (
      await pool.query(
        `SELECT encode(body, 'escape') AS body FROM delivery WHERE encode(body, 'escape') ~ $1`,
        [`"(fiatToCrypto|KYC|newType)"`],
      )
    ).rows
      .map(({ body }) => body)
      .join()
  // A round ends after two seconds, and the next one goes on.
  const roundLeaves = async () => {
    await endOldData(pool)
    const text = await bodies()
    return [ana.iban, ana.lastName, ana.email].filter((value) => text.includes(value))
  }
  await expect.poll(roundLeaves).toEqual([])
  expect(await bodies()).toContain('SUCCESS')
  const rows = await everything()
  expect(rows).not.toContain(`"sendername": "${ana.firstName.toLowerCase()}`)
  await rebuildAll()
  expect(await everything()).toBe(rows)
})
