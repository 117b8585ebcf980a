import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyMigrations, createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { applyMigrations } from './migrate.ts'
import { openPool } from './pool.ts'

// A database of before decision 0041, with a row in each table whose names changed.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const quietly = { say: () => undefined }
const id = crypto.randomUUID()
const other = crypto.randomUUID()
const at = new Date('2026-11-24T10:00:00Z')
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createEmptyDatabase()
  copyMigrations('20261125030000', folder)
  await applyMigrations(database.url, { folder, ...quietly })
  pool = openPool(database.url, 1)
  const rows: [sql: string, ...values: unknown[]][] = [
    ['INSERT INTO delivery_pending (delivery_id, set_aside_at) VALUES ($1, $2)', id, at],
    [
      `INSERT INTO handover (id, known, state, updated_at) VALUES ($1, ARRAY[$2::uuid], 'asked', $3)`,
      id,
      other,
      at,
    ],
    [`INSERT INTO handover (id, known, state, updated_at) VALUES ($1, '{}', 'shown', $2)`, other, at],
    [`INSERT INTO answer_lost (delivery_id, how) VALUES ($1, 'answered-late')`, id],
    [
      `INSERT INTO receiver_period (receiver_id, began_at, events, looked_at) VALUES ($1, $2, '{*}', $2)`,
      id,
      at,
    ],
    [
      `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status, active_at, events_since)
       VALUES ($1, $1, '', '', $2, $2)`,
      id,
      at,
    ],
    [
      `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state, beat_at)
       VALUES ($1, 'fold', '{}', 1, '', '', 1, 'running', $2)`,
      id,
      at,
    ],
    [`INSERT INTO setting (key, value) VALUES ('rules', '4'), ('zone', '"UTC"')`],
    ['INSERT INTO rebuild (id, rules, total) VALUES ($1, 4, 1)', id],
  ]
  for (const [sql, ...values] of rows) await pool.query(sql, values)
  await applyMigrations(database.url, quietly)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
  fs.rmSync(folder, { recursive: true })
})

test.each<[sql: string, rows: object[]]>([
  ['SELECT dead_lettered_at FROM delivery_pending', [{ dead_lettered_at: at }]],
  [
    'SELECT id, known_endpoints, state, updated_at FROM secret_handoff ORDER BY state',
    [
      { id, known_endpoints: [other], state: 'requested', updated_at: at },
      { id: other, known_endpoints: [], state: 'shown', updated_at: at },
    ],
  ],
  ['SELECT cause FROM answer_lost', [{ cause: 'answered-late' }]],
  ['SELECT last_seen_at FROM receiver_period', [{ last_seen_at: at }]],
  [
    'SELECT last_active_at, events_changed_at FROM watched_endpoint',
    [{ last_active_at: at, events_changed_at: at }],
  ],
  ['SELECT last_progress_at FROM replay', [{ last_progress_at: at }]],
  [
    'SELECT key, value FROM setting ORDER BY key',
    [
      { key: 'rules-version', value: 4 },
      { key: 'zone', value: 'UTC' },
    ],
  ],
  ['SELECT rules_version FROM rebuild', [{ rules_version: 4 }]],
])('an upgrade keeps what is there: %s', async (sql, rows) => {
  expect((await pool.query(sql)).rows).toEqual(rows)
})
