import { afterAll, beforeAll, expect, it } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { attachMonth, createMonth, deliveryMonth } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { captureLog } from '../../../test/log.ts'
import { LogMonthsSchema, saveLogMonths } from '../settings/settings-forms.ts'
import { removeAudited, removeOldMonths } from './month-remover.ts'

let database: TestConfiguration
const now = new Date()
const old = deliveryMonth(now, -5)

beforeAll(async () => {
  database = await startDatabase({ PUBLIC_URL: 'https://dash.example' })
  await pool().query(createMonth(old, old.name) + attachMonth(old, old.name, 'delivery'))
  await append([{ type: 'fiatToCrypto', subType: 'SUCCESS', data: { transactionUuid: 'T-1' } }])
})
afterAll(() => database.stop())

async function append(bodies: readonly object[]) {
  const { id: receiverId } = await addReceiver(pool())
  const receivedAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 5, 15))
  await appendPastDeliveries(
    bodies.map((body) => ({ receivedAt, receiverId, body: Buffer.from(JSON.stringify(body)) })),
    pool(),
  )
  const work = await takeAllShards(pool())
  await foldWaiting(work)
  await work.leases.release()
}

const isThere = async () =>
  (await pool().query('SELECT WHERE to_regclass($1) IS NOT NULL', [old.name])).rowCount === 1

const save = (bodies: string, events: string) =>
  saveLogMonths(
    callerWith('admin'),
    LogMonthsSchema.parse({ bodies, events, reason: 'the disk is small' }),
    newBrowser(),
  )

it('keeps everything for ever while no age is set', async () => {
  expect(await removeOldMonths(pool(), database.url, () => false)).toBe(true)
  expect(await isThere()).toBe(true)
})

it('keeps events at least as long as their bodies', () => {
  const asked = LogMonthsSchema.safeParse({ bodies: '12', events: '6', reason: 'a mistake' })
  expect(asked.error?.issues).toMatchObject([{ path: ['events'] }])
  expect(LogMonthsSchema.safeParse({ bodies: '', events: '6', reason: 'a reason' }).success).toBe(true)
  expect(LogMonthsSchema.safeParse({ bodies: '0', events: '', reason: 'a reason' }).success).toBe(false)
})

it('removes what is older than the set age, and records it in the audit', async () => {
  const logged = captureLog()
  await save('3', '')
  expect(await removeOldMonths(pool(), database.url, () => false)).toBe(true)
  logged.stop()
  expect(await isThere()).toBe(false)
  expect((await pool().query('SELECT step FROM transaction')).rows).toEqual([{ step: 'SUCCESS' }])
  const { rows } = await pool().query(
    `SELECT action, outcome, details FROM audit WHERE action IN ('settings.change', 'log.remove-months') ORDER BY id`,
  )
  expect(rows).toMatchObject([
    {
      action: 'settings.change',
      details: { before: { logMonths: '{}' }, after: { logMonths: '{"bodies":3}' } },
    },
    {
      action: 'log.remove-months',
      outcome: 'done',
      details: { bodies: 3, bodiesRemoved: 1, months: [old.name] },
    },
  ])
  expect((await pool().query('SELECT kind FROM admin_notice')).rows).toEqual([{ kind: 'retention-changed' }])
  await save('3', '4')
  expect(await removeOldMonths(pool(), database.url, () => false)).toBe(true)
  expect((await pool().query('SELECT FROM transaction')).rowCount).toBe(0)
})

it.each<[string, () => Promise<unknown>]>([
  [
    'another process takes its lease',
    () =>
      pool().query(
        `UPDATE lease SET holder = gen_random_uuid()::text, epoch = epoch + 1 WHERE name = 'retention'`,
      ),
  ],
  ['months are being made', () => pool().query('CREATE TABLE delivery_moving (id uuid)')],
  [
    'the rows were made by other rules',
    () => pool().query(`INSERT INTO setting (key, value) VALUES ('rules-version', '-1')`),
  ],
  ['its caller breaks off', () => Promise.reject(new Error('the caller'))],
])('says in the audit what it removed when %s', async (_, hinder) => {
  await append(
    ['SUCCESS', 'ON_HOLD'].map((subType, n) => ({
      type: 'fiatToCrypto',
      subType,
      data: { transactionUuid: `U-${n}` },
    })),
  )
  const entries = async () =>
    (await pool().query(`SELECT details FROM audit WHERE action = 'log.remove-months' ORDER BY id`)).rows
  const before = await entries()
  const run = async () => {
    for await (const _ of removeAudited(pool(), database.url, { bodies: 3, events: 3 }, { isAsked: false }))
      await hinder()
  }
  await expect(run()).rejects.toThrow()
  expect((await entries()).slice(before.length)).toMatchObject([
    { details: { subjects: 1, bodiesRemoved: 0 } },
  ])
  await pool().query(`DROP TABLE IF EXISTS delivery_moving; DELETE FROM lease; DELETE FROM setting; DELETE FROM delivery; DELETE FROM event;
    DELETE FROM event_delivery; DELETE FROM transaction`)
})

it('says nothing in the audit of a run that only found a month that another session reads', async () => {
  await pool().query(createMonth(old, old.name) + attachMonth(old, old.name, 'delivery'))
  const reader = await pool().connect()
  await reader.query('BEGIN; SELECT FROM delivery LIMIT 1')
  const entries = async () =>
    (await pool().query(`SELECT FROM audit WHERE action = 'log.remove-months'`)).rowCount
  const before = await entries()
  const ages = { bodies: 3, events: null }
  const steps = (await Array.fromAsync(removeAudited(pool(), database.url, ages, { isAsked: false }))).map(
    ({ step }) => step,
  )
  await reader.query('ROLLBACK')
  reader.release()
  expect([steps, await entries()]).toEqual([[{ kind: 'not-dropped', month: old.name }], before])
})
