import crypto from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { resolveFilters } from '#lib/audit/list-audit.ts'
import { createSignInLink } from '#lib/identity/links/access-links.ts'
import { findByAddress } from '#lib/identity/single-sign-on/find-by-address.ts'
import { findEndpoints } from '#lib/search/find-people-and-endpoints.ts'
import { parameters, rowCondition } from '#lib/transactions/row-condition.ts'
import { callerWith } from '../../../test/callers.ts'
import { configure } from '../../../test/service.ts'
import { cleanText } from '../rules/pasted-text.ts'
import { inTransaction } from './in-transaction.ts'
import { applyMigrations } from './migrate.ts'
import { pool } from './pool.ts'
import { lowerCase } from './statements.ts'

// The database's language has two more letters for `i`: `lower('I')` is `ı`, and `upper('i')` is `İ`.

const name = `turkish_${crypto.randomBytes(4).toString('hex')}`
const server = inject('postgresUrl')

async function ask(sql: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(sql)
  await client.end()
}

beforeAll(async () => {
  await ask(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR'`)
  const url = server.replace(/[^/]+$/, name)
  await applyMigrations(url)
  configure({ DATABASE_URL: url })
  const { rows } = await pool().query("SELECT lower('OPTIMISM') AS low, upper('fil') AS up")
  expect(rows).toEqual([{ low: 'optımısm', up: 'FİL' }])
  await pool().query(
    `INSERT INTO member (id, user_uuid, name, role, email, joined_at)
     VALUES ($1, $2, 'IRIS KIM', 'support', 'IRIS@ICI.example', now())`,
    [crypto.randomUUID(), crypto.randomUUID()],
  )
})
afterAll(async () => {
  await pool().end()
  await ask(`DROP DATABASE ${name} WITH (FORCE)`)
})

test('transactions are found by chain and currency', async () => {
  const rows = `(VALUES ('OPTIMISM', 'fil', 'fil')) AS transaction (chain, currency_fiat, currency_crypto)`
  const find = async (match: Parameters<typeof rowCondition>[0]) => {
    const values: unknown[] = []
    const where = rowCondition(match, parameters(values))
    return (await pool().query(`SELECT FROM ${rows} WHERE ${where}`, values)).rowCount
  }
  expect(await find({ chain: 'optimism' })).toBe(1)
  expect(await find({ currency: 'FIL' })).toBe(1)
})

test('endpoints are found by name', async () => {
  await pool().query(
    `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status, events) VALUES ($1, $1, 'OPTIMISM', 'active', '{*}')`,
    [crypto.randomUUID()],
  )
  expect(await findEndpoints(callerWith('admin'), cleanText('optimism'))).toMatchObject([
    { name: 'OPTIMISM' },
  ])
})

test('an erased person is found in the lines of imports', async () => {
  const { rows } = await pool().query<{ is: boolean }>(
    `SELECT ${lowerCase('email')} = ANY($1::text[]) AS is FROM (VALUES ('IRIS@ICI.example')) AS line (email)`,
    [['iris@ici.example']],
  )
  expect(rows).toEqual([{ is: true }])
})

test('members are found by name and address', async () => {
  expect(await resolveFilters(callerWith('admin'), { who: 'iris kim' })).toEqual({
    who: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  for (const who of ['iris kim', 'iris@ici.example'])
    expect(await createSignInLink(pool(), new URL('https://dash.example.com'), who)).toMatchObject({
      kind: 'made',
    })
  const claims = { iss: 'https://id.example.com', sub: 'x', email: 'iris@ici.example' }
  expect(await inTransaction(pool(), (tx) => findByAddress(tx, claims))).toMatchObject({
    member: { name: 'IRIS KIM' },
  })
})
