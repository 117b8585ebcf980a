import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { applyMigrations } from '#lib/db/migrate.ts'
import { openPool } from '#lib/db/pool.ts'
import { disabledPeriods } from '#lib/domain/gaps/disabled-periods.ts'
import { readStatusChanges } from '#lib/receivers/status-changes.ts'
import { createEmptyDatabase, type TestDatabase } from '../../test/postgres.ts'

// A database of before decision 0035, whose audit holds what now has tables of its own.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const quietly = { say: () => undefined }
const start = Date.now() - 600_000
let database: TestDatabase

/** What was written for one endpoint, a second apart; the spans of seconds for which it was off. */
const histories: [entries: string[], off: [number, number | null][]][] = [
  [['disabled begun', 'disabled done', 'active begun', 'active done'], [[0, 3]]],
  [['disabled begun', 'disabled done'], [[0, null]]],
  [['disabled begun', 'disabled unsure', 'active begun', 'active done'], [[0, 3]]],
  [['disabled begun', 'disabled failed', 'active begun', 'active done'], []],
  [['disabled begun', 'active refused', 'disabled done', 'active begun', 'active done'], [[0, 4]]],
  [['disabled begun', 'active begun', 'active done'], []],
  [['disabled begun', 'disabled begun', 'disabled done', 'disabled begun'], [[1, null]]],
]
const endpoints = histories.map(() => crypto.randomUUID())
const user = crypto.randomUUID()

beforeAll(async () => {
  database = await createEmptyDatabase()
  for (const name of fs.readdirSync('prisma/migrations'))
    if (name < '20261125010000')
      fs.cpSync(path.join('prisma/migrations', name), path.join(folder, name), { recursive: true })
  await applyMigrations(database.url, { folder, ...quietly })
})
afterAll(async () => {
  await database.drop()
  fs.rmSync(folder, { recursive: true })
})

test('an upgrade keeps what the audit knew of endpoints and of codes', async () => {
  const pool = openPool(database.url, 1)
  const add = (action: string, target: string, entry: string, at: number) => {
    const [status, outcome] = entry.split(' ')
    return pool.query(
      `INSERT INTO audit (id, at, action, target, outcome, details) VALUES ($1, $2, $3, $4, $5, $6)`,
      [crypto.randomUUID(), new Date(start + at * 1000), action, target, outcome, { status }],
    )
  }
  for (const [index, [entries]] of histories.entries())
    for (const [second, entry] of entries.entries())
      await add('endpoint.set-status', endpoints[index] ?? '', entry, second)
  await add('endpoint.create', crypto.randomUUID(), 'none begun', 0)
  await add('endpoint.set-status', 'no-uuid', 'disabled begun', 0)
  for (const [second, outcome] of ['done', 'done', 'refused'].entries())
    await add('code.request', user, `none ${outcome}`, second)

  await applyMigrations(database.url, quietly)
  const changes = await inTransaction(pool, (tx) => readStatusChanges(tx, endpoints, new Date(start)))
  const seconds = (ms: number | null) => (ms === null ? null : (ms - start) / 1000)
  const off = endpoints.map((uuid) =>
    disabledPeriods(changes.get(uuid) ?? []).map(({ began, ended }) => [seconds(began), seconds(ended)]),
  )
  expect(off).toEqual(histories.map(([, spans]) => spans))
  const { rows } = await pool.query('SELECT user_uuid, sent_at FROM code_request')
  expect(rows).toEqual([{ user_uuid: user, sent_at: new Date(start + 1000) }])
  await pool.end()
})
