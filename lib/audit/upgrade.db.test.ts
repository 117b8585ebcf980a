import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStatusChanges } from '#lib/deliveries/receivers/status-changes.ts'
import { disabledPeriods } from '#lib/endpoints/rules/disabled-periods.ts'
import { openRetentionSweeper } from '#lib/operations/retention/sweep.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { copyMigrations, createEmptyDatabase, type TestDatabase } from '../../test/postgres.ts'
import { verifyChain } from './verify-chain.ts'

// A database of before decision 0035, whose audit holds what now has tables of its own.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const beforeTheChain = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const quietly = { say: () => undefined }
const beforeNamedRemovals = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
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
  copyMigrations('20261125010000', folder)
  copyMigrations('20261126060000', beforeTheChain)
  copyMigrations('20261206050000', beforeNamedRemovals)
  await applyMigrations(database.url, { folder, ...quietly })
})
afterAll(async () => {
  await database.drop()
  for (const copied of [folder, beforeTheChain, beforeNamedRemovals]) fs.rmSync(copied, { recursive: true })
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

test('an upgrade writes no older entry anew: the chain begins after them, and says when', async () => {
  const older = await createEmptyDatabase()
  await applyMigrations(older.url, { folder: beforeTheChain, ...quietly })
  const pool = openPool(older.url, 1)
  await pool.query(
    `INSERT INTO audit (id, at, action, outcome)
     SELECT gen_random_uuid(), now() - n * interval '1 day', 'session.start', 'refused' FROM generate_series(85, 95) AS n`,
  )
  const rows = async () => (await pool.query('SELECT ctid, xmin, id FROM audit ORDER BY id')).rows
  const before = await rows()
  await applyMigrations(older.url, quietly)
  expect(await rows()).toEqual(expect.arrayContaining(before))
  expect((await pool.query(`SELECT action FROM audit JOIN audit_link ON entry_id = audit.id`)).rows).toEqual([
    { action: 'audit.begin-chain' },
  ])
  expect(await verifyChain(pool)).toMatchObject({ length: 1n, older: 11, faultCount: 0 })

  // As before the chain, refused sign-ins go after 90 days.
  await openRetentionSweeper(pool).sweep()
  expect(await verifyChain(pool)).toMatchObject({ length: 1n, older: 5, faultCount: 0 })

  // Whatever is put in past the trigger since then is found.
  const id = crypto.randomUUID()
  await pool.query(`ALTER TABLE audit DISABLE TRIGGER audit_linked`)
  await pool.query(`INSERT INTO audit (id, action, outcome) VALUES ($1, 'gap.close', 'done')`, [id])
  expect((await verifyChain(pool)).faults).toEqual([{ kind: 'entry-not-linked', entryId: id }])
  await pool.end()
  await older.drop()
})

test('an upgrade names the reasons that were removed before each had an entry', async () => {
  const older = await createEmptyDatabase()
  await applyMigrations(older.url, { folder: beforeNamedRemovals, ...quietly })
  const pool = openPool(older.url, 1)
  const id = crypto.randomUUID()
  await pool.query(
    `INSERT INTO audit (id, action, outcome, reason_digest) VALUES ($1, 'gap.close', 'done', sha256('a text'))`,
    [id],
  )
  await pool.query(`SELECT erase_audit_reasons(ARRAY[$1::uuid])`, [id])
  expect((await verifyChain(pool)).faults).toEqual([{ kind: 'reason-removed', position: 1n, entryId: id }])
  await applyMigrations(older.url, quietly)
  expect(await verifyChain(pool)).toMatchObject({ reasonsRemoved: 1, faultCount: 0 })
  await pool.end()
  await older.drop()
})
