import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { copyMigrations, createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'

// A database of before decision 0126, in which nobody knows which addresses were verified.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
const quietly = { say: () => undefined }
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createEmptyDatabase()
  copyMigrations('20261216010000', folder)
  await applyMigrations(database.url, { folder, ...quietly })
  pool = openPool(database.url, 1)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
  fs.rmSync(folder, { recursive: true })
})

it('members are found no more by an address of which only the provider spoke, and by all others as before', async () => {
  const member = async (name: string, subject: string | null) => {
    const [id, email] = [crypto.randomUUID(), `${name}@example.com`]
    await pool.query(
      `INSERT INTO member (id, name, email, role, sso_issuer, sso_subject) VALUES ($1, $2, $3, 'support', 'x', $4)`,
      [id, name, email, subject],
    )
    return { id, email }
  }
  await member('claimed', '1')
  await member('passkey', null)
  const { id, email } = await member('invited', '2')
  await pool.query(
    `INSERT INTO access_link (id, kind, token_digest, member_id, email, created_by, expires_at, used_at)
     VALUES ($1, 'invitation', '', $1, upper($2), '', now(), now())`,
    [id, email],
  )
  await applyMigrations(database.url, quietly)
  expect((await pool.query('SELECT email, sso_email FROM member ORDER BY name')).rows).toEqual([
    { email: null, sso_email: 'claimed@example.com' },
    { email: 'invited@example.com', sso_email: null },
    { email: 'passkey@example.com', sso_email: null },
  ])
})
