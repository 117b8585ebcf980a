import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { verifyChain } from '#lib/audit/verify-chain.ts'
import { grantToApplication, mayChangeAudit } from '#lib/platform/db/application-role.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { noCallSource } from '../lib/access/caller.ts'
import type { Secrets } from './data-directory.ts'
import { logins, prepareDatabases } from './postgres-roles.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from './temporary-postgres.ts'

const secrets: Secrets = {
  nextauthSecret: '',
  keys: '',
  sandboxApiKey: '',
  postgresPassword: 'temporary',
  ownerPassword: "o'wner",
  applicationPassword: 'application',
  sandboxPassword: 'sandbox',
}
const quietly = { say: () => undefined }
const { owner, application, sandbox } = logins(secrets)
let postgres: TemporaryPostgres
let pool: pg.Pool

beforeAll(async () => {
  postgres = await startTemporaryPostgres('roles')
  // The superuser owns everything, as in a database that somebody made by hand.
  await applyMigrations(await postgres.create('rampart'), quietly)
  const theirs = await postgres.create('sandbox')
  await run(
    theirs,
    `CREATE SCHEMA queue; CREATE TYPE queue.kind AS ENUM ('a'); CREATE TYPE queue.pair AS (a int, b int);
    CREATE TABLE queue.job (id serial PRIMARY KEY, kind queue.kind); CREATE VIEW queue.jobs AS SELECT * FROM queue.job;
    CREATE FUNCTION queue.add(queue.kind) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$; CREATE TABLE account (id int)`,
  )
  await run(
    postgres.url('rampart'),
    `INSERT INTO audit (id, action, outcome, at) SELECT gen_random_uuid(), 'gap.close', 'done', now()
     FROM generate_series(1, 3) AS n; INSERT INTO person (user_uuid, source) VALUES (gen_random_uuid(), 'test')`,
  )
  await prepareDatabases(postgres, secrets)
  await applyMigrations(postgres.url('rampart', owner), quietly)
  pool = openPool(postgres.url('rampart', application))
  await grantToApplication(postgres.url('rampart', owner), pool)
})
afterAll(async () => {
  await pool.end()
  await postgres.stop()
})

async function run(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

const asOwner = (sql: string) => run(postgres.url('rampart', owner), sql)

it('a database that a superuser made keeps its data', async () => {
  expect((await pool.query('SELECT FROM person')).rowCount).toBe(1)
  expect(await verifyChain(pool)).toMatchObject({ length: 3n, faultCount: 0 })
})

it('nobody who works on it is a superuser, or owns anything of another', async () => {
  const { rows } = await run(
    postgres.url('postgres'),
    `SELECT rolname FROM pg_roles WHERE rolname LIKE 'rampart_%' AND NOT (rolsuper OR rolcreaterole OR rolcreatedb)
     ORDER BY rolname`,
  )
  expect(rows).toEqual([
    { rolname: 'rampart_app' },
    { rolname: 'rampart_owner' },
    { rolname: 'rampart_sandbox' },
  ])
  for (const [database, login] of [
    ['rampart', owner],
    ['sandbox', sandbox],
  ] as const) {
    const { rows: foreign } = await run(
      postgres.url(database),
      `SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text IN ('public', 'queue')
         AND pg_get_userbyid(relowner) <> '${login.user}'
       UNION ALL
       SELECT proname FROM pg_proc WHERE pronamespace::regnamespace::text IN ('public', 'queue')
         AND pg_get_userbyid(proowner) <> '${login.user}'
       UNION ALL
       SELECT typname FROM pg_type WHERE typnamespace::regnamespace::text IN ('public', 'queue')
         AND pg_get_userbyid(typowner) <> '${login.user}'`,
    )
    expect(foreign).toEqual([])
  }
})

it('preparing once more changes nothing and fails nowhere', async () => {
  await prepareDatabases(postgres, secrets)
  await grantToApplication(postgres.url('rampart', owner), pool)
  expect(await mayChangeAudit(pool)).toBe(false)
})

it('the sandbox and the dashboard cannot connect to each other’s database', async () => {
  await expect(run(postgres.url('rampart', sandbox), 'SELECT 1')).rejects.toThrow('permission denied')
  await expect(run(postgres.url('sandbox', application), 'SELECT 1')).rejects.toThrow('permission denied')
  expect((await run(postgres.url('sandbox', sandbox), 'INSERT INTO account VALUES (1)')).rowCount).toBe(1)
})

it('an error of any of them leaves no value in the log of PostgreSQL, and no statement', async () => {
  const secret = 'ana@example.com'
  const all = () => fs.readFileSync(path.join(postgres.folder, 'postgres.log'), 'utf8')
  const before = all().length
  const log = () => all().slice(before)
  const warning = `DO $$ BEGIN RAISE WARNING '%', '${secret}'; END $$`
  const wrong = [
    `SELECT '${secret}'::uuid`,
    `CREATE TEMP TABLE known (email text UNIQUE); INSERT INTO known VALUES ('${secret}'), ('${secret}')`,
    `SELECT pg_terminate_backend(pg_backend_pid()), '${secret}'`,
  ]
  const everybody = [
    (sql: string) => pool.query(sql),
    asOwner,
    (sql: string) => run(postgres.url('sandbox', sandbox), sql),
  ]
  for (const ask of everybody) {
    await ask(warning)
    for (const statement of wrong) await expect(ask(statement)).rejects.toThrow()
  }
  await vi.waitFor(() => expect(log().match(/terminating connection/g)).toHaveLength(3))
  expect(log()).not.toContain(secret)
})

describe('the application', () => {
  it('adds to the audit, and its entries are linked', async () => {
    await inTransaction(pool, (tx) =>
      recordAudit(tx, { actor: null, action: 'gap.close', outcome: 'done' }, noCallSource),
    )
    expect(await verifyChain(pool)).toMatchObject({ length: 4n, faultCount: 0 })
  })

  it.each([
    `UPDATE audit SET reason = ''`,
    'DELETE FROM audit',
    'TRUNCATE audit',
    `UPDATE audit_reason SET text = ''`,
    'DELETE FROM audit_reason',
    'TRUNCATE audit_reason',
    'SELECT FROM audit FOR UPDATE',
    `INSERT INTO audit_link VALUES (99, gen_random_uuid(), '', NULL, '', '')`,
    'UPDATE audit_link SET position = position + 1',
    'DELETE FROM audit_link',
    'TRUNCATE audit_link',
    'ALTER TABLE audit DISABLE TRIGGER audit_linked',
    'DROP TRIGGER audit_linked ON audit',
    'DROP TABLE audit_link',
    'CREATE RULE nothing AS ON INSERT TO audit DO INSTEAD NOTHING',
    'SET session_replication_role = replica',
    'SET ROLE rampart_owner',
    `ALTER ROLE rampart_app SUPERUSER`,
    'CREATE TABLE mine (id int)',
    `CREATE OR REPLACE FUNCTION link_audit_entry() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    'DELETE FROM _prisma_migrations',
  ])('may not: %s', async (statement) => {
    await expect(pool.query(statement)).rejects.toThrow(/permission denied|must be owner|must be able/)
  })

  it('may not have links written for a table of its own', async () => {
    await expect(
      pool.query(
        `CREATE TEMP TABLE mine (LIKE audit);
         CREATE TRIGGER mine AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION link_audit_entry()`,
      ),
    ).rejects.toThrow('permission denied')
  })

  it('may delete what was to go when it was written, and nothing else', async () => {
    await asOwner(
      `INSERT INTO audit (id, action, outcome, expires_at)
       VALUES (gen_random_uuid(), 'session.start', 'refused', now() - interval '1 second'),
              (gen_random_uuid(), 'session.start', 'refused', now() + interval '1 hour')`,
    )
    expect((await pool.query('SELECT expire_audit(100) AS gone')).rows).toEqual([{ gone: 1 }])
    expect(await verifyChain(pool)).toMatchObject({ expired: 1, faultCount: 0 })
  })

  it('does not say when an entry was written, nor when it goes', async () => {
    const ids = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const { length } = await verifyChain(pool)
    await pool.query(
      `INSERT INTO audit (id, at, actor, action, outcome, expires_at) VALUES
         ($1, '2020-01-01', 'x', 'member.admin', 'done', now() - interval '1 day'),
         ($2, '2120-01-01', 'x', 'session.start', 'refused', '2020-01-01'),
         ($3, '2020-01-01', 'x', 'session.start', 'refused', NULL)`,
      ids,
    )
    // However long ago its transaction began, and whatever it takes for the clock.
    const slow = await pool.connect()
    await slow.query('BEGIN')
    await slow.query('SELECT pg_sleep(0.05)')
    await slow.query('SET LOCAL search_path = pg_temp, public')
    const late = crypto.randomUUID()
    await slow.query(
      `INSERT INTO public.audit (id, at, action, outcome) VALUES ($1, now(), 'gap.close', 'done')`,
      [late],
    )
    const { rows: began } = await slow.query<{ late: boolean }>(
      `SELECT at > now() + interval '40 ms' AS late FROM audit WHERE id = $1`,
      [late],
    )
    await slow.query('COMMIT')
    slow.release()
    expect(began).toEqual([{ late: true }])
    const { rows } = await pool.query<{ wrong: boolean; days: number | null }>(
      `SELECT at NOT BETWEEN now() - interval '1 minute' AND now() AS wrong, extract(epoch FROM expires_at - at)::float8 / 86400 AS days
       FROM audit WHERE id = ANY($1) ORDER BY array_position($1, id)`,
      [ids],
    )
    expect(rows).toEqual([
      { wrong: false, days: null },
      { wrong: false, days: 90 },
      { wrong: false, days: null },
    ])
    expect((await pool.query('SELECT expire_audit(100) AS gone')).rows).toEqual([{ gone: 0 }])
    expect(await verifyChain(pool)).toMatchObject({ length: length + 4n, faultCount: 0 })
  })

  it('may remove a reason, and does not make the chain doubtful by it', async () => {
    const entry = { actor: null, action: 'gap.close', outcome: 'done', reason: 'because' } as const
    await inTransaction(pool, (tx) => recordAudit(tx, entry, noCallSource))
    await pool.query('SELECT erase_audit_reasons(ARRAY(SELECT entry_id FROM audit_reason))')
    expect((await pool.query('SELECT FROM audit_reason WHERE text IS NOT NULL')).rowCount).toBe(0)
    expect(await verifyChain(pool)).toMatchObject({ reasonsRemoved: 1, faultCount: 0 })
  })

  it('works with every table that a migration makes later', async () => {
    await asOwner('CREATE TABLE later (id serial PRIMARY KEY)')
    await pool.query('INSERT INTO later DEFAULT VALUES')
    await pool.query('DELETE FROM later')
    await asOwner('DROP TABLE later')
  })
})

it('says when one role does both, and which statement hands the tables over when a third owns them', async () => {
  const superuser = openPool(postgres.url('rampart'), 1)
  await grantToApplication(postgres.url('rampart'), superuser)
  expect(await mayChangeAudit(superuser)).toBe(true)
  await superuser.end()
  const ownerItself = openPool(postgres.url('rampart', owner), 1)
  expect(await mayChangeAudit(ownerItself)).toBe(true)
  await ownerItself.end()
  const name = `other_${crypto.randomBytes(4).toString('hex')}`
  await run(
    postgres.url('postgres'),
    `CREATE ROLE ${name} LOGIN PASSWORD 'other'; GRANT CONNECT ON DATABASE rampart TO ${name}`,
  )
  const other = postgres.url('rampart', { user: name, password: 'other' })
  await expect(grantToApplication(other, pool)).rejects.toThrow(
    `REASSIGN OWNED BY "rampart_owner" TO "${name}"`,
  )
})
