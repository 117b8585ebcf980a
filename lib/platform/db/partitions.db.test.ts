import crypto from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { makeMissingMonths } from './month-keeper.ts'
import { deliveryMonth, ensureDeliveryPartitions, firstUuidv7 } from './partitions.ts'

let database: TestDatabase
let client: pg.Client

beforeEach(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await database.drop()
})

const now = new Date('2026-11-21T12:00:00Z')
const ahead = [10, 11, 12].map((month) => `delivery_2026_${month}`)
const next = [1, 2, 3, 4, 5].map((month) => `delivery_2027_0${month}`)

const idOf = (time: string) =>
  firstUuidv7(Date.parse(time)).replace(/8000-.*/, `8000-${crypto.randomUUID().slice(24)}`)

const insert = async (id: string, on = client) =>
  (
    await on.query(
      `INSERT INTO delivery (id, receiver_id, body) VALUES ($1, gen_random_uuid(), $2) RETURNING tableoid::regclass::text AS partition`,
      [id, id],
    )
  ).rows[0]?.partition

const insertAll = (sent: readonly string[]) =>
  client.query(
    `INSERT INTO delivery (id, receiver_id, body) SELECT id, gen_random_uuid(), convert_to(id::text, 'UTF8') FROM unnest($1::uuid[]) AS id`,
    [sent],
  )

const partitions = async () =>
  (
    await client.query<{ name: string; rows: number }>(
      `SELECT inhrelid::regclass::text AS name,
              (SELECT count(*)::int FROM delivery WHERE delivery.tableoid = inhrelid) AS rows
       FROM pg_inherits WHERE inhparent = 'delivery'::regclass ORDER BY 1`,
    )
  ).rows

const ids = async () =>
  (await client.query<{ id: string }>('SELECT id FROM delivery ORDER BY id')).rows.map(({ id }) => id)

/** The definitions have no names. Each index of the parent has one, which is attached to it. */
const indexesOf = async (table: string) =>
  (
    await client.query<{ definition: string; attached: boolean; valid: boolean }>(
      `SELECT regexp_replace(pg_get_indexdef(indexrelid), '.* USING ', '') AS definition, indisprimary AS primary, indisvalid AS valid,
              EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid) AS attached
       FROM pg_index WHERE indrelid = $1::regclass ORDER BY 1`,
      [table],
    )
  ).rows

const go = () => false
const bring = () => makeMissingMonths(database.url, now, go)

test('creates the previous month to six months ahead, once, however many processes ask at the same time', async () => {
  const made = await Promise.all([1, 2, 3].map(() => ensureDeliveryPartitions(database.url, now)))
  expect(made.flat().toSorted()).toEqual([...ahead, ...next])
  expect(await ensureDeliveryPartitions(database.url, now)).toEqual([])
  expect(await insert(idOf('2026-10-31T23:59:59.999Z'))).toBe('delivery_2026_10')
  expect(await insert(idOf('2026-11-01T00:00:00.000Z'))).toBe('delivery_2026_11')
  expect(await insert(idOf('2027-05-31T23:59:59.999Z'))).toBe('delivery_2027_05')
  expect(await insert(idOf('2027-06-01T00:00:00.000Z'))).toBe('delivery_default')
})

test('a month that is created or filled has the indexes of the log, and no check of its own', async () => {
  await insert(idOf('2025-01-15T00:00:00Z'))
  await bring()
  const expected = (await indexesOf('delivery')).map((index) => ({ ...index, attached: true }))
  expect(expected.length).toBeGreaterThan(1)
  for (const { name } of await partitions()) expect(await indexesOf(name)).toEqual(expected)
  const checks = `SELECT conrelid::regclass FROM pg_constraint WHERE conname = 'within_month'`
  expect((await client.query(checks)).rows).toEqual([])
})

test('a table in use blocks for at most a second, and the month is created later', async () => {
  const reader = new pg.Client({ connectionString: database.url })
  await reader.connect()
  await reader.query('BEGIN; SELECT count(*) FROM delivery')
  await expect(bring()).rejects.toThrow('lock timeout')
  expect(await insert(idOf('2026-11-21T12:00:00Z'))).toBe('delivery_default')
  await reader.query('COMMIT')
  await reader.end()
  expect(await bring()).toBe(true)
  expect(await partitions()).toContainEqual({ name: 'delivery_2026_11', rows: 1 })
})

test('deliveries of the default partition move into months, also those with unusual ids, and each exists once', async () => {
  const logged = captureLog()
  const odd = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  const versionFour = firstUuidv7(Date.parse('2026-03-01T00:00:00Z')).replace('-7000', '-4000')
  const times = ['2024-02-29', '2026-10-31', '2026-11-01', '2026-11-21', '2027-05-31', '2031-01-01']
  const sent = [
    ...odd,
    versionFour,
    ...times.flatMap((time) => Array.from({ length: 150 }, () => idOf(`${time}T12:00:00Z`))),
  ]
  await insertAll(sent)
  expect(await bring()).toBe(true)
  expect(await ids()).toEqual(sent.toSorted())
  const found = new Map((await partitions()).map(({ name, rows }) => [name, rows]))
  expect(found.get('delivery_2024_02')).toBe(150)
  expect(found.get('delivery_2026_02')).toBe(1)
  expect(found.get('delivery_2031_01')).toBe(150)
  expect(found.get('delivery_2027_04')).toBe(0)
  const left = await client.query(
    `SELECT relname FROM pg_class WHERE relname ~ 'moving|emptied' AND relkind IN ('r', 'p')`,
  )
  expect(left.rows).toEqual([])
  const same = await client.query('SELECT FROM delivery WHERE body <> convert_to(id::text, $1)', ['UTF8'])
  expect(same.rowCount).toBe(0)
  logged.stop()
  expect(logged.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('deliveries that arrive while the default partition is emptied are stored once, and every delivery is visible exactly once throughout', async () => {
  const sent = Array.from({ length: 1_500 }, () => idOf('2026-11-20T00:00:00Z'))
  await insertAll(sent)
  const writer = new pg.Client({ connectionString: database.url })
  await writer.connect()
  let done = false
  const write = async () => {
    while (!done) {
      const id = idOf('2026-11-21T00:00:00Z')
      await insert(id, writer)
      sent.push(id)
    }
  }
  const watch = async () => {
    let reads = 0
    for (; !done; reads++) {
      const atLeast = sent.length
      const seen = await ids()
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.length).toBeGreaterThanOrEqual(atLeast)
      expect(seen.length).toBeLessThanOrEqual(sent.length + 1)
    }
    return reads
  }
  const moved = bring().finally(() => {
    done = true
  })
  const [, reads] = await Promise.all([write(), watch(), moved])
  await writer.end()
  expect(await moved).toBe(true)
  expect(reads).toBeGreaterThan(5)
  expect(await ids()).toEqual(sent.toSorted())
  expect(await partitions()).toContainEqual({ name: 'delivery_default', rows: 0 })
})

test('continues after an interruption at any statement', async () => {
  const sent = Array.from({ length: 250 }, () => idOf('2026-11-20T00:00:00Z'))
  await insertAll(sent)
  for (let reads = 1; ; reads++) {
    let left = reads
    if (await makeMissingMonths(database.url, now, () => left-- <= 0)) break
    const late = idOf('2026-11-21T00:00:00Z')
    await insert(late)
    sent.push(late)
    expect(await ids()).toEqual(sent.toSorted())
    if (reads > 50) throw new Error('It never ended')
  }
  expect(await ids()).toEqual(sent.toSorted())
})

test('an erasure during the move stays in effect, wherever the copy is by then', async () => {
  const sent = Array.from({ length: 700 }, () => idOf('2026-11-20T00:00:00Z'))
  await insertAll(sent)
  const overwritten: string[] = []
  const overwrite = async (id: string, on = client) => {
    await on.query(`UPDATE delivery SET body = 'erased' WHERE id = $1`, [id])
    overwritten.push(id)
  }
  const eraser = new pg.Client({ connectionString: database.url })
  await eraser.connect()
  for (let reads = 1; ; reads++) {
    let left = reads
    const moved = makeMissingMonths(database.url, now, () => left-- <= 0)
    for (const id of sent.filter((_, n) => n % 67 === reads % 67)) await overwrite(id, eraser)
    if (await moved) break
    if (reads > 50) throw new Error('It never ended')
  }
  await eraser.end()
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM delivery WHERE body = 'erased' ORDER BY id`,
  )
  expect(rows.map(({ id }) => id)).toEqual([...new Set(overwritten)].toSorted())
})

test('limits of the database end no move of deliveries', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await insertAll(Array.from({ length: 250 }, () => idOf('2026-11-20T00:00:00Z')))
  await client.query(`
    CREATE FUNCTION slow_table() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.4); END $$;
    CREATE EVENT TRIGGER slow_table ON ddl_command_end WHEN TAG IN ('CREATE TRIGGER') EXECUTE FUNCTION slow_table();
    ALTER DATABASE "${name}" SET statement_timeout = 200`)
  expect(await bring()).toBe(true)
  expect(await partitions()).toContainEqual({ name: 'delivery_default', rows: 0 })
})

test('a month begins where the month before ends', () => {
  const december = deliveryMonth(new Date('2026-12-31T23:59:59Z'))
  expect(december.name).toBe('delivery_2026_12')
  expect(deliveryMonth(new Date('2027-01-01T00:00:00Z'))).toMatchObject({
    name: 'delivery_2027_01',
    from: december.to,
  })
})
