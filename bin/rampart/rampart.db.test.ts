import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signHead } from '#lib/audit/heads.ts'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { fingerprint, readStoredApiKey, storeApiKey } from '#lib/endpoints/service-key/stored-api-key.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { attachMonth, createMonth, deliveryMonth } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { toKeys } from '#lib/platform/env.ts'
import { rememberKeys } from '#lib/platform/keys/agree-on-keys.ts'
import { secretDigester } from '#lib/platform/keys/digests-and-seals.ts'
import { linkTo } from '#lib/search/search-link.ts'
import { shardLeaseMs } from '#lib/timeline/projector/shard-leases.ts'
import { readHead } from '../../lib/audit/heads.ts'
import { auditReason } from '../../test/audit-reason.ts'
import { callerWith } from '../../test/callers.ts'
import { foldWaiting, takeAllShards } from '../../test/folding.ts'
import { addReceiver, startIngestServer, testKey } from '../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { startCommand } from '../../test/rampart-command.ts'
import { runHere } from '../../test/run-here.ts'
import { configure } from '../../test/service.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const start = (words: string[], variables: Record<string, string> = { DATABASE_URL: database.url }) =>
  startCommand(words, variables)
async function run(words: string[], variables: Record<string, string> = { DATABASE_URL: database.url }) {
  const { code, output } = await runHere(words, variables)
  return { code, output }
}

/** The status comes at once where a projector works, and otherwise waits for one. */
async function statusWithProjector() {
  const { leases } = await takeAllShards(pool)
  const status = await run(['status'])
  await leases.release()
  return status
}

const audited = async (action: string) =>
  (await pool.query('SELECT actor, outcome, details FROM audit WHERE action = $1', [action])).rows

test('says in one line where it looked when there is no database', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-command-'))
  const nowhere = await run(['status'], { RAMPART_DATA_DIR: folder })
  expect(nowhere).toEqual({
    code: 1,
    output: expect.stringMatching(/^No Rampart is running in .*DATABASE_URL=postgresql:\/\/…\n$/),
  })
  expect(fs.readdirSync(folder)).toEqual([])
  fs.rmdirSync(folder)
})

test('says what makes the tables when the database has none', async () => {
  const empty = Object.assign(new URL(database.url), { pathname: '/postgres' })
  expect(await run(['setup-link'], { DATABASE_URL: empty.href })).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^The database has no tables of this version \(.*\): start this version.*\n$/,
    ),
  })
})

test('says that the database does not answer, for a name with several addresses too', async () => {
  const { code, output } = await run(['dead-letters'], { DATABASE_URL: 'postgresql://a:b@localhost:1/x' })
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(/^The database does not answer: connect ECONNREFUSED \S+:1\.\n$/),
  })
})

test('the status says when mail does not go, and ends with 1', async () => {
  await pool.query(
    `INSERT INTO mail (id, kind, recipient, created_at, give_up_at, last_answer, tried_at)
     VALUES (gen_random_uuid(), 'notices', 'ana@example.com', now() - interval '2 h', now() + interval '1 day',
             'connect ECONNREFUSED', now())`,
  )
  expect(await statusWithProjector()).toMatchObject({
    code: 1,
    output: expect.stringContaining('mail          1 waiting, the oldest for 2 h: connect ECONNREFUSED\n'),
  })
  await pool.query('TRUNCATE mail')
})

test('a rebuild without a running server folds by itself, and the status shows it before and after', async () => {
  const { id } = await addReceiver(pool)
  const body = Buffer.from(JSON.stringify({ type: 'KYC', uuid: 'U-1', data: { status: 'FULL_USER' } }))
  await appendPastDeliveries([{ receivedAt: new Date(Date.now() - 180_000), receiverId: id, body }], pool)
  expect(await run(['status'])).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^version {7}\d.*\nwaiting {7}1, the oldest for 3 min.*\ndead letters {2}0\nprojector {5}none is active\n.*\n! No projector works.*\n$/s,
    ),
  })
  expect(await run(['rebuild'])).toEqual({
    code: 0,
    output: expect.stringMatching(/1 deliveries were rebuilt in \d+ s\.\n$/),
  })
  expect((await pool.query('SELECT type FROM event')).rows).toEqual([{ type: 'KYC' }])
  expect(await audited('rebuild.start')).toEqual([{ actor: 'command line', outcome: 'done', details: {} }])
  const after = await statusWithProjector()
  expect(after.output).toContain('waiting       0\n')
  expect(after.output).toContain('rebuild       none\n')
  expect(after.output).toContain('rules         those of this version\n')
  expect(after.output).toContain('mail          0 waiting\n')
  await pool.query(`UPDATE setting SET value = '0' WHERE key = 'rules-version'`)
  expect((await statusWithProjector()).output).toContain(
    'rules         other than those of this version: everything',
  )
  expect((await run(['rebuild'])).code).toBe(0)
  expect((await statusWithProjector()).output).toContain('rules         those of this version\n')
})

test('lists the dead letters with their errors, and retries them', async () => {
  expect(await run(['dead-letters'])).toEqual({ code: 0, output: 'There are no dead letters.\n' })
  const [id = ''] = (await pool.query('SELECT id FROM delivery')).rows.map((row) => String(row.id))
  await pool.query(`INSERT INTO delivery_pending VALUES ($1, now(), 'a bug')`, [id])
  const { code, output } = await start(['dead-letters']).ended
  const listed = { code, output }
  expect(listed).toEqual({
    code: 1,
    output: expect.stringMatching(
      new RegExp(`^${id} {2}57 bytes, received .*Z, dead letter since .*Z\\n {2}a bug\\n$`),
    ),
  })
  // The command had this name before.
  expect(await run(['set-aside'])).toEqual(listed)
  expect(await run(['retry'])).toMatchObject({ code: 0, output: expect.stringMatching(/^1 given back/) })
  expect((await pool.query('SELECT dead_lettered_at FROM delivery_pending')).rows).toEqual([
    { dead_lettered_at: null },
  ])
  expect(await audited('delivery.try-again')).toEqual([
    { actor: 'command line', outcome: 'done', details: { retried: 1 } },
  ])
  await pool.query('DELETE FROM delivery_pending')
})

test('Ctrl-C leaves a rebuild that can be continued', async () => {
  // Another process holds all shards and folds nothing, so the work cannot finish.
  const { leases } = await takeAllShards(pool)
  const renewing = setInterval(() => void leases.renew(), shardLeaseMs / 3)
  const { child, output } = start(['rebuild'])
  await expect.poll(output).toContain('0 of 1 deliveries')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
  expect(output()).toContain('Interrupted at 0 of 1.')
  expect((await run(['status'])).output).toContain('rebuild       under way: 0 of 1')
  clearInterval(renewing)
  await leases.release()
  expect((await run(['rebuild'])).code).toBe(0)
})

test('verifies the chain of the audit, by the heads in the files that are named', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-heads-'))
  const heads = path.join(folder, 'heads.log')
  const keys = `k1:${crypto.randomBytes(32).toString('base64')}`
  const words = ['audit', 'verify', heads]
  const variables = { DATABASE_URL: database.url, RAMPART_KEYS: keys, RAMPART_DATA_DIR: folder }
  await pool.query(
    `INSERT INTO audit (id, action, outcome) SELECT gen_random_uuid(), 'gap.close', 'done' FROM generate_series(1, 3)`,
  )
  const head = await readHead(pool)
  if (!head) throw new Error('The chain is empty')
  fs.writeFileSync(heads, JSON.stringify(signHead(toKeys(keys), head)))
  expect(await start(words, variables).ended).toMatchObject({
    code: 0,
    output: expect.stringMatching(/1 of 1 heads .* agree\.\nNothing was changed, removed or put in\.\n$/),
  })
  await pool.query(
    'DELETE FROM audit WHERE id = (SELECT entry_id FROM audit_link ORDER BY position DESC LIMIT 1)',
  )
  await pool.query('DELETE FROM audit_link WHERE position = (SELECT max(position) FROM audit_link)')
  expect(await run(words, variables)).toEqual({
    code: 1,
    output: expect.stringMatching(
      new RegExp(
        `The end was cut off: position ${head.position} is missing.*npm run rampart restored REASON`,
        's',
      ),
    ),
  })
  expect(await run(['audit'])).toMatchObject({ code: 2, output: expect.stringContaining('audit verify') })
  fs.rmSync(folder, { recursive: true })
})

test('prints a link for the first admin, and one for a member who cannot sign in otherwise', async () => {
  const variables = { DATABASE_URL: database.url, PUBLIC_URL: 'https://dash.example.com' }
  const link = /https:\/\/dash\.example\.com\/set-up#[\w-]{43}\n/
  const { code, output } = await start(['setup-link'], variables).ended
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(link) })
  expect(await run(['signin-link'], variables)).toMatchObject({ code: 2 })
  expect(await run(['signin-link', 'Kim'], variables)).toEqual({
    code: 1,
    output: 'No member of the team is called “Kim”, or has that address or id.\n',
  })
  await pool.query(`INSERT INTO member (id, name, role) VALUES (gen_random_uuid(), 'Kim Admin', 'admin')`)
  expect(await run(['setup-link'], variables)).toEqual({
    code: 1,
    output: expect.stringMatching(/^There is an admin already/),
  })
  const made = await run(['signin-link', 'Kim', 'Admin'], variables)
  expect(made).toEqual({ code: 0, output: expect.stringMatching(link) })
  expect(made.output).toContain('signed in as Kim Admin')
  await pool.query(`INSERT INTO member (id, name, role) VALUES (gen_random_uuid(), 'kim admin', 'support')`)
  expect(await run(['signin-link', 'Kim Admin'], variables)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Several members are called “Kim Admin”/),
  })
})

test('takes members along when the provider of single sign-on moves, and says where they sign in', async () => {
  await pool.query('TRUNCATE member, admin_notice')
  const member = (name: string, issuer: string, subject: string) =>
    pool.query(
      `INSERT INTO member (id, name, role, sso_issuer, sso_subject) VALUES (gen_random_uuid(), $1, 'admin', $2, $3)`,
      [name, issuer, subject],
    )
  const [old, moved] = ['http://login.example', 'https://login.example/'] as const
  await member('Ann', old, '1')
  await member('Bea', old, '2')
  await member('Bea again', moved, '2')
  const where = 'Members sign in at:\n  http://login.example  2\n  https://login.example/  1\n'
  const variables = { DATABASE_URL: database.url }
  expect(await start(['move-issuer']).ended).toMatchObject({ code: 0, out: where, err: '' })
  expect(await runHere(['move-issuer', old, 'nowhere', 'it', 'moved'], variables)).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^Say from where, to where, and why: .*\nMembers sign in at:\n/),
  })
  expect(await run(['move-issuer', 'https://other.example', moved, 'it', 'moved'])).toEqual({
    code: 1,
    output: expect.stringMatching(/^No member signs in at https:\/\/other\.example\./),
  })
  expect(await run(['move-issuer', old, moved, 'it', 'moved'])).toEqual({
    code: 1,
    output: expect.stringMatching(/Bea stays: .*\nMoved to https:\/\/login\.example\/: 1 member\.\n$/),
  })
  expect(
    (await pool.query('SELECT name FROM member WHERE sso_issuer = $1 ORDER BY name', [moved])).rows,
  ).toEqual([{ name: 'Ann' }, { name: 'Bea again' }])
  expect((await pool.query('SELECT kind, reason FROM admin_notice')).rows).toEqual([
    { kind: 'issuer-moved', reason: 'it moved' },
  ])
  expect(await audited('member.move-issuer')).toEqual([
    { actor: 'command line', outcome: 'done', details: { before: old, after: moved, members: 1 } },
  ])
})

test('takes another API key over for a reason, sealed, and tells all admins', async () => {
  const variables = {
    DATABASE_URL: database.url,
    RAMPART_KEYS: `test:${crypto.randomBytes(32).toString('base64')}`,
  }
  await pool.query('TRUNCATE admin_notice')
  const give = async (words: string[]) => {
    const input = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(['a-new-key\n']) as never)
    const ended = await run(['service-key', ...words], variables)
    input.mockRestore()
    return ended
  }
  expect(await give([])).toEqual({ code: 2, output: expect.stringMatching(/^Say why, for the audit:/) })
  expect((await pool.query(`SELECT FROM setting WHERE key = 'service-api-key'`)).rowCount).toBe(0)
  const { child, ended } = start(['service-key', 'the', 'old', 'one', 'was', 'revoked'], variables)
  child.stdin.end('a-new-key\n')
  expect(await ended).toMatchObject({ code: 0 })
  const reason = 'the old one was revoked'
  expect((await pool.query('SELECT kind, actor, reason FROM admin_notice')).rows).toEqual([
    { kind: 'key-changed', actor: null, reason },
  ])
  const { rows } = await pool.query(
    `SELECT actor, ${auditReason} FROM audit WHERE action = 'service.key-change'`,
  )
  expect(rows).toEqual([{ actor: 'command line', reason }])
  const kept = await pool.query<{ text: string }>(
    `SELECT value::text AS text FROM setting WHERE key = 'service-api-key'`,
  )
  expect(kept.rows).toHaveLength(1)
  expect(kept.rows[0]?.text).not.toContain('a-new-key')
  // The key gives way to any other than the servers' variable, which the first of them says where the command cannot.
  const instead = async (variable: string) => {
    Object.assign(variables, { SERVICE_API_KEY: variable })
    const { code } = await give(['another', 'reason'])
    const { rows } = await pool.query(
      `SELECT value->>'instead' AS is FROM setting WHERE key = 'service-api-key'`,
    )
    return { code, instead: rows[0]?.is }
  }
  expect(await instead('the-old-one')).toEqual({ code: 0, instead: fingerprint('the-old-one') })
  expect(await instead('a-new-key')).toEqual({ code: 0, instead: '*' })
  expect(await instead('none')).toEqual({ code: 1, instead: '*' })
})

test('erases a person for good, after a kill too, and prints before what is held', async () => {
  const { id } = await addReceiver(pool)
  const userUuid = crypto.randomUUID()
  const bodies = Array.from({ length: 300 }, (_, i) => ({
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid: userUuid,
    data: { transactionUuid: crypto.randomUUID(), amountFiat: i, senderDetails: { senderName: 'Ana Lima' } },
  }))
  const receivedAt = new Date(Date.now() - 60_000)
  await appendPastDeliveries(
    bodies.map((body) => ({ receivedAt, receiverId: id, body: Buffer.from(JSON.stringify(body)) })),
    pool,
  )
  expect((await run(['rebuild'])).code).toBe(0)

  for (const words of [['no-uuid', 'why'], [userUuid]])
    expect(await run(['erase-user', ...words])).toMatchObject({
      code: 2,
      output: expect.stringContaining('erase-user'),
    })
  const unknown = crypto.randomUUID()
  const nobody = await run(['erase-user', unknown, 'a digit is wrong'])
  expect(nobody).toMatchObject({ code: 1, output: expect.stringContaining(`Nothing was held of ${unknown}`) })
  expect(nobody.output).not.toMatch(/Removed|Done/)
  const exported = await start(['export-user', userUuid, 'asked', 'for']).ended
  expect(exported.code).toBe(0)
  expect(JSON.parse(exported.out).events).toHaveLength(300)
  expect(await audited('user.export')).toMatchObject([{ actor: 'command line' }])

  const { child, output } = start(['erase-user', userUuid, 'asked', 'for', 'by', 'mail'])
  await expect.poll(output).toContain('the mark is')
  child.kill('SIGKILL')
  await once(child, 'close')
  await pool.query(
    `UPDATE lease SET expires_at = now() - interval '1 ms' WHERE starts_with(name, 'erasure:')`,
  )
  expect(await run(['erase-user', userUuid, 'again'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('Done'),
  })
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE encode(body, 'escape') LIKE '%' || $1 || '%' OR encode(body, 'escape') LIKE '%Ana Lima%')::int AS left,
            (SELECT sum(amount_fiat)::int FROM transaction) AS sum FROM delivery`,
    [userUuid],
  )
  expect(rows).toEqual([{ left: 0, sum: (299 * 300) / 2 }])
})

test('names a key that is not the one of its id, moves nothing, and remembers none that it only reads', async () => {
  const fresh = await createTestDatabase()
  const other = openPool(fresh.url)
  const [right, wrong, unseen] = [testKey('k2', 8), testKey('k2', 9), testKey('k4')]
  const given = (...keys: readonly { id: string; bytes: Buffer }[]) => ({
    DATABASE_URL: fresh.url,
    RAMPART_KEYS: keys.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join(','),
  })
  const remembered = async () =>
    (await other.query(`SELECT key FROM setting WHERE key LIKE 'digest-key:%'`)).rows
  await rememberKeys(other, secretDigester([right]))
  for (const words of [['keys'], ['keys', 'move']])
    expect(await run(words, given(unseen, wrong))).toEqual({
      code: 1,
      output: 'k2 is not the key that this database knows: put the right value back into RAMPART_KEYS.\n',
    })
  expect(await start(['keys'], given(unseen, right)).ended).toMatchObject({ code: 0 })
  expect(await remembered()).toEqual([{ key: 'digest-key:k2' }])
  await other.end()
  await fresh.drop()
})

test('says what each key still holds, moves what waits for nobody, and when the old one may go', async () => {
  const fresh = await createTestDatabase()
  const other = openPool(fresh.url)
  const [k1, k2] = [testKey('k1'), testKey('k2', 8)]
  const given = (...keys: readonly { id: string; bytes: Buffer }[]) => ({
    DATABASE_URL: fresh.url,
    RAMPART_KEYS: keys.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join(','),
  })
  const lines = async (words: string[], variables: Record<string, string>) => {
    const { code, output } = await run(words, variables)
    return { code, lines: output.trim().split('\n') }
  }
  await addReceiver(other, { key: k1 })
  configure({ ...given(k1), NEXTAUTH_SECRET: 'n'.repeat(32) })
  await linkTo(callerWith('support'), 'subjects', 'somebody')
  await inTransaction(other, (tx) => storeApiKey(tx, { apiKey: 'the-key', configured: null, givenBy: null }))

  const older = await startIngestServer(fresh.url, { keys: [k1] })
  await older.ingest.begin()
  const holdsAll = 'the secrets of 1 endpoint, 1 link of searches, the API key given here'
  expect(await lines(['keys'], given(k2, k1))).toEqual({
    code: 0,
    lines: [
      'k2  reads   0 of 1 running server  holds nothing',
      `k1  writes  1 of 1 running server  holds ${holdsAll}`,
      'k2 writes as soon as every running server has it.',
    ],
  })
  await older.stop()

  const newer = await startIngestServer(fresh.url, { keys: [k2, k1] })
  await newer.ingest.begin()
  const before = await lines(['keys'], given(k2, k1))
  expect(before.lines).toEqual([
    'k2  writes  1 of 1 running server  holds nothing',
    `k1  reads   1 of 1 running server  holds ${holdsAll}`,
    expect.stringMatching(
      /^k1 must stay: a secret moves with the next delivery .* keys move" moves the rest\.$/,
    ),
  ])
  expect((await lines(['keys', 'move'], given(k2, k1))).lines).toEqual([
    'Moved to k2: 1 link of searches, the API key.',
    'k2  writes  1 of 1 running server  holds 1 link of searches, the API key given here',
    'k1  reads   1 of 1 running server  holds the secrets of 1 endpoint',
    expect.stringMatching(
      /^k1 must stay: a secret moves with the next delivery of its endpoint, or when it is rotated\.$/,
    ),
  ])
  configure(given(k2))
  expect(await readStoredApiKey(other, 'no-key')).toBe('the-key')

  await other.query(`UPDATE receiver SET secret_key_id = 'k2'`)
  expect((await lines(['keys'], given(k2, k1))).lines.at(-1)).toBe(
    'k1 may go from RAMPART_KEYS, on one server after another.',
  )
  await other.query(`UPDATE receiver SET secret_key_id = 'k0'`)
  expect(await lines(['keys'], given(k2))).toMatchObject({
    code: 1,
    lines: [expect.anything(), expect.anything(), 'k0 is missing from RAMPART_KEYS: put it back, last.'],
  })
  expect(await run(['keys', 'move'], given(testKey('k3', 3)))).toEqual({
    code: 1,
    output:
      'RAMPART_KEYS: the servers that run have none of the keys k3 in common. Give the command what they have.\n',
  })
  await newer.stop()
  await globalThis.rampartPool?.end()
  await other.end()
  await fresh.drop()
})

const said = (subType: string, transactionUuid: string, more: object = {}) =>
  Buffer.from(JSON.stringify({ type: 'fiatToCrypto', subType, data: { transactionUuid, ...more } }))

/** The month so many months ago gets a table, and these bodies, which are folded. */
async function appendMonth(age: number, bodies: readonly Buffer[]) {
  const now = new Date()
  const month = deliveryMonth(now, -age)
  await pool.query(createMonth(month, month.name) + attachMonth(month, month.name, 'delivery'))
  const { id: receiverId } = await addReceiver(pool)
  const receivedAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - age, 15))
  await appendPastDeliveries(
    bodies.map((body) => ({ receivedAt, receiverId, body })),
    pool,
  )
  const work = await takeAllShards(pool)
  await foldWaiting(work)
  await work.leases.release()
  return month
}

test('shows which months are older than they are kept, and removes them when that is wanted', async () => {
  const kept = await run(['retention'])
  expect(kept).toMatchObject({ code: 0, output: expect.stringContaining('kept for good') })
  expect(await run(['retention', 'bodies=soon'])).toMatchObject({ code: 2 })
  expect(await run(['retention', 'bodies=12', 'events=6'])).toMatchObject({
    code: 2,
    output: expect.stringContaining('Events are kept at least as long as their bodies.'),
  })
  const month = await appendMonth(4, [said('SUCCESS', 'R-1'), said('ON_HOLD', 'R-2')])
  const plan = await run(['retention', 'bodies=2', 'events=2'])
  expect(plan.code).toBe(0)
  for (const line of [
    `${month.name}  2 deliveries`,
    'Gone whole, with events, ids and notes: 1 transactions.',
    'so they stay: 1 transactions.',
    'Nothing was removed. To remove it for good: npm run rampart retention bodies=2 events=2 yes',
  ])
    expect(plan.output).toContain(line)
  const there = async () =>
    (await pool.query('SELECT WHERE to_regclass($1) IS NOT NULL', [month.name])).rowCount
  expect(await there()).toBe(1)
  const removed = await start(['retention', 'bodies=2', 'events=2', 'yes']).ended
  expect(removed).toMatchObject({
    code: 0,
    output: expect.stringContaining(`Months dropped: ${month.name}.`),
  })
  expect(await there()).toBe(0)
  const left = await pool.query(
    `SELECT subject_id FROM transaction WHERE subject_id IN ('transaction:r-1', 'transaction:r-2')`,
  )
  expect(left.rows).toEqual([{ subject_id: 'transaction:r-2' }])
  expect((await audited('log.remove-months')).map(({ outcome }) => outcome).sort()).toEqual(['begun', 'done'])
})

test('a removal that a rebuild ends early says what it removed, in its last lines and in the audit', async () => {
  await appendMonth(5, [said('SUCCESS', 'E-1'), said('ON_HOLD', 'E-2')])
  const inAudit = async () => {
    const removed = (await audited('log.remove-months')).filter(({ outcome }) => outcome === 'done')
    const sum = (of: string) => removed.reduce((all, { details }) => all + details[of], 0)
    return [removed.length, sum('subjects'), sum('bodiesRemoved')]
  }
  const [entries = 0, subjects = 0, bodies = 0] = await inAudit()
  const deliveries = async () =>
    (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM delivery')).rows[0]?.n ?? 0
  const before = await deliveries()
  await pool.query(`
    CREATE FUNCTION begin_rebuild() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO rebuild (id, rules_version, total) VALUES (gen_random_uuid(), 0, 0); RETURN NULL;
    END $$;
    CREATE TRIGGER begin_rebuild AFTER DELETE ON event EXECUTE FUNCTION begin_rebuild()`)
  const ended = await run(['retention', 'bodies=2', 'events=2', 'yes'])
  await pool.query(
    'DROP TRIGGER begin_rebuild ON event; DROP FUNCTION begin_rebuild; DELETE FROM rebuild WHERE rules_version = 0',
  )
  expect(ended).toMatchObject({ code: 1, output: expect.stringContaining('A rebuild is under way.') })
  expect(ended.output).toContain('Removed: 1 transactions and others')
  expect(await deliveries()).toBe(before - 1)
  expect(await run(['retention', 'bodies=2', 'events=2', 'yes'])).toMatchObject({ code: 0 })
  expect(await inAudit()).toEqual([entries + 2, subjects + 1, bodies + 1])
})

test('says which month was dropped by hand, refuses to rebuild, and goes on once its loss is accepted', async () => {
  const month = await appendMonth(6, [said('SUCCESS', 'L-1', { amountFiat: 4.76 })])
  const row = async () =>
    (await pool.query(`SELECT * FROM transaction WHERE subject_id = 'transaction:l-1'`)).rows
  const before = await row()
  await pool.query(`ALTER TABLE delivery DETACH PARTITION ${month.name}`)
  expect(await statusWithProjector()).toMatchObject({
    code: 1,
    output: expect.stringContaining(`${month.name} (detached)`),
  })
  await pool.query(`DROP TABLE ${month.name}`)
  const refused = await run(['rebuild'])
  expect(refused).toMatchObject({
    code: 1,
    output: expect.stringContaining(`retention accept-loss ${month.name}`),
  })
  expect(await run(['retention', 'bodies=2', 'yes'])).toMatchObject({ code: 1 })
  expect(await run(['retention', 'accept-loss', 'delivery_2020_01'])).toMatchObject({ code: 1 })
  expect(await run(['retention', 'accept-loss', month.name])).toMatchObject({
    code: 0,
    output: expect.stringContaining('1 events have lost their bodies'),
  })
  const rebuilt = await run(['rebuild'])
  expect(rebuilt).toMatchObject({ code: 0, output: expect.stringContaining('not in the log any more') })
  expect(await row()).toEqual(before)
  expect(await statusWithProjector()).toMatchObject({ output: expect.stringMatching(/log +whole/) })
})
