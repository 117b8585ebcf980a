import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startPooler } from '../../../test/pooler.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { applyMigrations } from './migrate.ts'

let database: TestDatabase
let client: pg.Client
let folder: string

beforeEach(async () => {
  database = await createEmptyDatabase()
  client = new pg.Client({ connectionString: database.url, application_name: 'somebody' })
  await client.connect()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-migrations-'))
})
afterEach(async () => {
  await client.end()
  await database.drop()
  fs.rmSync(folder, { recursive: true })
})

function write(name: string, sql: string) {
  fs.mkdirSync(path.join(folder, name), { recursive: true })
  fs.writeFileSync(path.join(folder, name, 'migration.sql'), sql)
}

const silently = { say: () => undefined }
const indexes = async () =>
  (
    await client.query(`SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
     WHERE indrelid = 'thing'::regclass AND NOT indisprimary ORDER BY 1`)
  ).rows

test('applies every migration once, however many processes start at the same time', async () => {
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => applyMigrations(database.url)))
  const applied = [...(one ?? []), ...(two ?? []), ...(three ?? [])]
  expect(applied.length).toBeGreaterThan(0)
  expect(new Set(applied).size).toBe(applied.length)
  expect(await applyMigrations(database.url)).toEqual([])
})

test('refuses a database in which an applied migration was changed afterwards', async () => {
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY)')
  await applyMigrations(database.url, { folder })
  write('1', 'CREATE TABLE thing (id BIGINT PRIMARY KEY)')
  await expect(applyMigrations(database.url, { folder })).rejects.toThrow(
    /was changed after it had been applied/,
  )
})

test('accepts the same migrations with the line ends of another system, also when those were recorded', async () => {
  const lines = '-- rampart: a table\nCREATE TABLE thing (\n  id INT PRIMARY KEY\n)\n'
  const withCr = lines.replaceAll('\n', '\r\n')
  write('1', withCr)
  await applyMigrations(database.url, { folder })
  write('1', lines)
  expect(await applyMigrations(database.url, { folder })).toEqual([])
  write('1', withCr)
  expect(await applyMigrations(database.url, { folder })).toEqual([])
  const recorded = crypto.createHash('sha256').update(withCr).digest('hex')
  await client.query('UPDATE _prisma_migrations SET checksum = $1', [recorded])
  write('1', lines)
  expect(await applyMigrations(database.url, { folder })).toEqual([])
})

test.runIf(fs.existsSync('.git'))('git gives every clone the same line ends', () => {
  const { stdout } = spawnSync('git', ['ls-files', '--eol'], { encoding: 'utf8' })
  const texts = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('i/-text'))
  expect(texts.length).toBeGreaterThan(1_000)
  expect(texts.filter((line) => !/^i\/(lf|none)\s+\S+\s+attr\/text=auto eol=lf/.test(line))).toEqual([])
})

test('works for every date format of a database', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await client.query(`ALTER DATABASE "${name}" SET DateStyle = 'German, DMY'`)
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY)')
  expect(await applyMigrations(database.url, { folder })).toEqual(['1'])
  expect(await applyMigrations(database.url, { folder })).toEqual([])
})

test('refuses a database with a newer schema, in one line', async () => {
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY)')
  write('2', 'ALTER TABLE thing ADD COLUMN size INT')
  await applyMigrations(database.url, { folder })
  fs.rmSync(path.join(folder, '2'), { recursive: true })
  await expect(applyMigrations(database.url, { folder })).rejects.toThrow(
    /^The database has a newer schema than this version of Rampart knows \(2\): start the newer version again\.$/,
  )
})

test('waits for a table in use without blocking others, and logs who holds it', async () => {
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY)')
  await applyMigrations(database.url, { folder })
  await client.query('BEGIN; SELECT FROM thing')
  write('2', 'ALTER TABLE thing ADD COLUMN size INT')
  const lines: string[] = []
  const applied = applyMigrations(database.url, { folder, say: (line) => lines.push(line) })
  await expect.poll(() => lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /^Migration 2 waits: somebody \(process \d+\) has used thing for \d+ s\. Trying again/,
  )
  // The migration has left its place in the queue, so another session can write.
  const other = new pg.Client({ connectionString: database.url, lock_timeout: 1_500 })
  await other.connect()
  await other.query('INSERT INTO thing VALUES (1)')
  await other.end()
  await client.query('COMMIT')
  expect(await applied).toEqual(['2'])
})

test('a start postpones concurrent indexes and builds them while deliveries are written', async () => {
  write(
    '1',
    'CREATE TABLE thing (id INT PRIMARY KEY, size INT, colour TEXT); CREATE INDEX thing_size ON thing (size)',
  )
  await applyMigrations(database.url, { folder })
  write(
    '2',
    `-- rampart: concurrently\n-- Nobody asks for it.\nDROP INDEX "thing_size";\n\nCREATE INDEX "thing_colour" ON "thing" ("colour");\nCREATE UNIQUE INDEX thing_both ON thing (size, colour DESC);\n`,
  )
  write('3', 'ALTER TABLE thing ADD COLUMN weight INT')
  expect(await applyMigrations(database.url, { folder, concurrent: 'no' })).toEqual(['3'])
  expect(await indexes()).toEqual([{ name: 'thing_size', valid: true }])
  const writer = new pg.Client({ connectionString: database.url })
  await writer.connect()
  await writer.query('BEGIN; INSERT INTO thing VALUES (1, 1)')
  const applied = applyMigrations(database.url, { folder, ...silently })
  await new Promise((resolve) => setTimeout(resolve, 300))
  await client.query('INSERT INTO thing VALUES (2, 2)')
  await writer.query('COMMIT')
  await writer.end()
  expect(await applied).toEqual(['2'])
  expect(await indexes()).toEqual([
    { name: 'thing_both', valid: true },
    { name: 'thing_colour', valid: true },
  ])
  expect(await applyMigrations(database.url, { folder })).toEqual([])
})

test('an index that a crash left unfinished is created again', async () => {
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY, size INT)')
  await applyMigrations(database.url, { folder })
  await client.query('INSERT INTO thing VALUES (1, 5), (2, 5)')
  await expect(client.query('CREATE UNIQUE INDEX CONCURRENTLY thing_size ON thing (size)')).rejects.toThrow()
  expect(await indexes()).toEqual([{ name: 'thing_size', valid: false }])
  await client.query('DELETE FROM thing WHERE id = 2')
  write('2', '-- rampart: concurrently\nCREATE UNIQUE INDEX "thing_size" ON "thing"("size");')
  expect(await applyMigrations(database.url, { folder, ...silently })).toEqual(['2'])
  expect(await indexes()).toEqual([{ name: 'thing_size', valid: true }])
})

test('a new database gets its indexes at once', async () => {
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY, size INT)')
  write('2', '-- rampart: concurrently\nCREATE INDEX "thing_size" ON "thing"("size");')
  expect(await applyMigrations(database.url, { folder, concurrent: 'no' })).toEqual(['1', '2'])
  expect(await indexes()).toEqual([{ name: 'thing_size', valid: true }])
})

test('drops parts of a table after its new indexes are built, although a reader holds the table', async () => {
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY, size INT, colour TEXT)')
  await applyMigrations(database.url, { folder })
  write(
    '2',
    '-- rampart: concurrently\nCREATE INDEX "thing_size" ON "thing"("size");\nALTER TABLE "thing" DROP COLUMN IF EXISTS "colour";',
  )
  await applyMigrations(database.url, { folder, concurrent: 'no' })
  const reader = new pg.Client({ connectionString: database.url })
  await reader.connect()
  const applied = applyMigrations(database.url, { folder, ...silently })
  await expect.poll(indexes).toEqual([{ name: 'thing_size', valid: true }])
  await reader.query('BEGIN; SELECT * FROM thing')
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await reader.end()
  expect(await applied).toEqual(['2'])
  expect((await client.query('SELECT * FROM thing')).fields.map(({ name }) => name)).toEqual(['id', 'size'])
})

test('a concurrent migration that does more than indexes is refused', async () => {
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY)')
  await applyMigrations(database.url, { folder })
  write('2', '-- rampart: concurrently\nDELETE FROM thing;')
  await expect(applyMigrations(database.url, { folder })).rejects.toThrow(
    'Migration 2 failed: neither makes nor drops an index: DELETE FROM thing',
  )
})

test('limits of the database end neither a migration nor an index', async () => {
  const name = new URL(database.url).pathname.slice(1)
  const { rows: limits } = await client.query<{ limit: string }>(
    `SELECT name AS limit FROM pg_settings WHERE name ~ '^(statement|lock|idle_.*session|transaction)_timeout$'`,
  )
  expect(limits.length).toBeGreaterThan(3)
  for (const { limit } of limits) await client.query(`ALTER DATABASE "${name}" SET ${limit} = 200`)
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY, size INT)')
  write('2', 'SELECT pg_sleep(0.5); ALTER TABLE thing ADD COLUMN colour TEXT')
  expect(await applyMigrations(database.url, { folder })).toEqual(['1', '2'])
  write('3', '-- rampart: concurrently\nCREATE INDEX "thing_size" ON "thing"("size");')
  await client.query('BEGIN; INSERT INTO thing VALUES (1, 1)')
  const applied = applyMigrations(database.url, { folder, ...silently })
  await Promise.race([applied, new Promise((resolve) => setTimeout(resolve, 700))])
  await client.query('COMMIT')
  expect(await applied).toEqual(['3'])
  expect(await indexes()).toEqual([{ name: 'thing_size', valid: true }])
})

test('limits of the database do not end them behind a pooler either', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await client.query(`ALTER DATABASE "${name}" SET statement_timeout = 200`)
  const pooler = await startPooler(database.url)
  write('1', 'CREATE TABLE thing (id INT PRIMARY KEY, size INT); SELECT pg_sleep(0.5)')
  await applyMigrations(pooler.url, { folder })
  write('2', '-- rampart: concurrently\nCREATE INDEX "thing_size" ON "thing"("size");')
  await client.query('BEGIN; INSERT INTO thing VALUES (1, 1)')
  const applied = applyMigrations(pooler.url, { folder, ...silently })
  await Promise.race([applied, new Promise((resolve) => setTimeout(resolve, 700))])
  await client.query('COMMIT')
  expect(await applied).toEqual(['2'])
  pooler.stop()
})
