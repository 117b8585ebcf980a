import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AuditAction, refusedSignInDays } from '#lib/audit/record-audit.ts'
import { retentionRules } from '#lib/deliveries/retention-rules.ts'
import { uuidv7Of } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { openRetentionSweeper } from './sweep.ts'

let database: TestDatabase
let pool: pg.Pool
/** The log begins with this delivery. */
const firstOfLog = '01990000-0000-7000-8000-000000000000'

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  await pool.query(`INSERT INTO delivery (id, receiver_id, body) VALUES ($1, $1, '')`, [firstOfLog])
})
afterEach(async () => {
  vi.useRealTimers()
  await pool.query(`TRUNCATE ${retentionRules.map(({ table }) => table).join(', ')}`)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** Each function inserts one row that was last used at the given time. */
const rows: Readonly<Record<string, (at: Date) => Promise<unknown>>> = {
  answer_lost: (at) =>
    pool.query(`INSERT INTO answer_lost VALUES ($1, 'connection-closed', $2)`, [
      `01980000${crypto.randomUUID().slice(8)}`,
      at,
    ]),
  refusal: (at) =>
    pool.query(`INSERT INTO refusal VALUES (gen_random_uuid(), $1, 'wrong-secret', 1, $1)`, [at]),
  refused_caller: (at) =>
    pool.query(
      `INSERT INTO refused_caller (receiver_id, hour, address, count, last_at)
       VALUES (gen_random_uuid(), $1, '192.0.2.1', 1, $1)`,
      [at],
    ),
  user_import_row: (at) =>
    pool.query(
      `WITH made AS (
         INSERT INTO user_import (id, file_name, actor, state, total, broken, created, last_progress_at)
         VALUES (gen_random_uuid(), '', '', 'done', 1, 0, 0, $1) RETURNING id
       )
       INSERT INTO user_import_row (import_id, line, state) SELECT id, 2, 'done' FROM made`,
      [at],
    ),
  outage: (at) => pool.query(`INSERT INTO outage (began_at, ended_at, why) VALUES ($1, $1, 'no-beat')`, [at]),
  refused_body: (at) => pool.query(`INSERT INTO refused_body VALUES (gen_random_uuid(), '', $1)`, [at]),
  replay_delivery: (at) =>
    pool.query(
      `WITH made AS (
         INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state, last_progress_at)
         VALUES (gen_random_uuid(), 'fold', '{}', 1, '', '', 1, 'done', $1) RETURNING id
       )
       INSERT INTO replay_delivery (replay_id, seq, delivery_id) SELECT id, 1, id FROM made`,
      [at],
    ),
  answered_request: (at) =>
    pool.query('INSERT INTO answered_request VALUES ($1, gen_random_uuid(), NULL, 1)', [uuidv7Of(at)]),
  challenge: (at) =>
    pool.query(`INSERT INTO challenge VALUES (gen_random_uuid()::text, '', '0x0', 1, '', $1, $1)`, [at]),
  passkey_challenge: (at) =>
    pool.query(`INSERT INTO passkey_challenge VALUES (gen_random_uuid()::text, '', 'sign-in', NULL, $1)`, [
      at,
    ]),
  session: (at) =>
    pool.query(
      `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
       VALUES (gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), gen_random_uuid(), 'code', 'admin', $1, $1)`,
      [at],
    ),
  known_browser: (at) => pool.query(`INSERT INTO known_browser VALUES (gen_random_uuid(), '', $1)`, [at]),
  code_request: (at) =>
    pool.query(
      `INSERT INTO code_request (address_id, browser_digest, user_uuid, sent_at)
       VALUES (gen_random_uuid(), '', gen_random_uuid(), $1)`,
      [at],
    ),
  stranger_alarm: (at) =>
    pool.query(`INSERT INTO stranger_alarm VALUES (gen_random_uuid(), $1::timestamptz::date, $1)`, [at]),
  sso_attempt: (at) =>
    pool.query(
      `INSERT INTO sso_attempt VALUES (sha256(gen_random_uuid()::text::bytea), '', '', '', NULL, $1)`,
      [at],
    ),
  mail: (at) =>
    pool.query(
      `INSERT INTO mail (id, kind, recipient, give_up_at, state, ended_at)
       VALUES (gen_random_uuid(), 'test', 'ana@example.com', $1, 'sent', $1)`,
      [at],
    ),
  alert: (at) =>
    pool.query(
      `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at, resolved_at)
       VALUES (gen_random_uuid(), 'dead-letters', '', 1, 1, 1, $1, $1)`,
      [at],
    ),
  alert_news: (at) =>
    pool.query(
      `INSERT INTO alert_news (id, alert_id, change, channel_id, at, due_at)
       VALUES (gen_random_uuid(), gen_random_uuid(), 'fired', gen_random_uuid(), $1, $1)`,
      [at],
    ),
  alert_message: (at) =>
    pool.query(
      `INSERT INTO alert_message (id, kind, channel_id, give_up_at, state, ended_at)
       VALUES (gen_random_uuid(), 'alerts', gen_random_uuid(), $1, 'sent', $1)`,
      [at],
    ),
  process_report: (at) =>
    pool.query(`INSERT INTO process_report VALUES (gen_random_uuid(), $1, 'web-1', '{}')`, [at]),
  sso_report: (at) =>
    pool.query(`INSERT INTO sso_report VALUES (gen_random_uuid()::text, $1, NULL, '{}')`, [at]),
  access_link: (at) =>
    pool.query(
      `INSERT INTO access_link (id, kind, token_digest, created_by, expires_at)
       VALUES (gen_random_uuid(), 'set-up', sha256(gen_random_uuid()::text::bytea), '', $1)`,
      [at],
    ),
  member: (at) =>
    pool.query(
      `INSERT INTO member (id, name, role, created_at, joined_at) VALUES (gen_random_uuid(), '', 'admin', $1, NULL)`,
      [at],
    ),
  rate_limit: (at) =>
    pool.query('INSERT INTO rate_limit VALUES (gen_random_uuid()::text, 1, $1)', [at.getTime()]),
  audit: (at) =>
    pool.query(
      `INSERT INTO audit (id, at, action, outcome, expires_at)
       VALUES (gen_random_uuid(), $1, $2, 'refused', $1::timestamptz + $3 * interval '1 day')`,
      [at, 'session.start' satisfies AuditAction, refusedSignInDays],
    ),
  admin_notice: (at) =>
    pool.query(`INSERT INTO admin_notice (id, at, kind) VALUES (gen_random_uuid(), $1, 'member-removed')`, [
      at,
    ]),
  endpoint_status_change: (at) =>
    pool.query(
      `INSERT INTO endpoint_status_change VALUES (gen_random_uuid(), gen_random_uuid(), 'disabled', $1)`,
      [at],
    ),
  overview_mute: (at) =>
    pool.query(
      `INSERT INTO overview_mute VALUES ('held', gen_random_uuid()::text, 'a note', 'somebody', $1, $1)`,
      [at],
    ),
  transaction_count: (at) =>
    pool.query(`INSERT INTO transaction_count VALUES ($1, 'started', '', '', '', 0, 0, 1, 0)`, [at]),
  delivery_hour: (at) =>
    pool.query(
      'INSERT INTO delivery_hour (receiver_id, hour, deliveries) VALUES (gen_random_uuid(), $1, 1)',
      [at],
    ),
}

const count = async (table: string) =>
  Number((await pool.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n)

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

/** No machine is too slow for one round. */
const patient = { round: 60_000, every: 3_600_000 }
const sweepAll = () => openRetentionSweeper(pool, patient).sweep()

/** `fill` inserts many old refusals at once. */
const fill = (many: number) =>
  pool.query(
    `INSERT INTO refusal SELECT gen_random_uuid(), now() - interval '500 days', 'encoded', 1, now() FROM generate_series(1, $1)`,
    [many],
  )

/** Each step that deletes refusals takes so many seconds longer. */
const slowDeletes = (seconds: number) =>
  pool.query(`
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END';
    CREATE TRIGGER slow AFTER DELETE ON refusal FOR EACH STATEMENT EXECUTE FUNCTION slow()`)

const usualDeletes = () => pool.query('DROP TRIGGER slow ON refusal; DROP FUNCTION slow')

describe.each(retentionRules.map((one) => [one.what, one] as const))('%s', (_what, { table, days }) => {
  test('rows just younger than their retention stay, rows just older are deleted', async () => {
    await rows[table]?.(daysAgo(days - 0.1))
    await sweepAll()
    expect(await count(table)).toBe(1)
    await rows[table]?.(daysAgo(days + 0.1))
    expect(await count(table)).toBe(2)
    await sweepAll()
    expect(await count(table)).toBe(1)
  })

  test('is found by an index', async () => {
    const { condition } = retentionRules.find((one) => one.table === table) ?? { condition: '' }
    const client = await pool.connect()
    await client.query('BEGIN; SET LOCAL enable_seqscan = off')
    const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT ctid FROM ${table} WHERE ${condition} LIMIT 500 FOR UPDATE SKIP LOCKED`,
      [daysAgo(days)],
    )
    await client.query('ROLLBACK')
    client.release()
    const text = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(text).toMatch(new RegExp(`(Scan using \\w+|Bitmap Heap Scan) on ${table}`))
    expect(text).toMatch(/Index Cond/)
  })
})

test('the news of an alert keep what became of their messages, which are deleted earlier', async () => {
  const [message, mail, waiting] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  await pool.query(
    `INSERT INTO alert_message (id, kind, channel_id, give_up_at, state, ended_at)
     VALUES ($1, 'alerts', gen_random_uuid(), now(), 'failed', $2), ($3, 'alerts', gen_random_uuid(), now(), 'waiting', NULL)`,
    [message, daysAgo(31), waiting],
  )
  await pool.query(
    `INSERT INTO mail (id, kind, recipient, about, give_up_at, state, ended_at)
     VALUES (gen_random_uuid(), 'alerts', 'ana@example.com', $1, now(), 'sent', $2)`,
    [[mail], daysAgo(31)],
  )
  await pool.query(
    `INSERT INTO alert_news (id, alert_id, change, channel_id, due_at, message_id)
     SELECT gen_random_uuid(), gen_random_uuid(), 'fired', gen_random_uuid(), now(), id FROM unnest($1::uuid[]) AS id`,
    [[message, mail, waiting]],
  )
  await sweepAll()
  expect([await count('alert_message'), await count('mail')]).toEqual([1, 0])
  const { rows: news } = await pool.query<{ message_id: string; outcome: string | null }>(
    'SELECT message_id, outcome FROM alert_news',
  )
  expect(new Map(news.map((one) => [one.message_id, one.outcome]))).toEqual(
    new Map([
      [message, 'failed'],
      [mail, 'sent'],
      [waiting, null],
    ]),
  )
})

test('a lost answer is kept as long as the log has its delivery', async () => {
  await pool.query(`INSERT INTO answer_lost VALUES ($1, 'process-died', $2)`, [firstOfLog, daysAgo(1_000)])
  await sweepAll()
  expect(await count('answer_lost')).toBe(1)
})

test('only audit entries that had an expiry when they were written are deleted', async () => {
  await pool.query(
    `INSERT INTO audit (id, at, action, outcome, expires_at)
     SELECT gen_random_uuid(), now() - interval '10 years', 'session.start', 'refused', expires_at
     FROM unnest(ARRAY[NULL, now() - interval '1 day', now() + interval '1 day']) AS expires_at`,
  )
  // The row was inserted without the trigger, or its time was changed later. The chain has no such expiry.
  await pool.query("UPDATE audit SET expires_at = now() - interval '1 hour' WHERE expires_at IS NULL")
  await sweepAll()
  expect(await count('audit')).toBe(2)
})

test('the target of a link in an old ticket is kept as long as the audit, which names it', async () => {
  const id = crypto.randomUUID()
  await pool.query(
    `INSERT INTO search_link (id, digest, sealed, key_id, made_by, made_at)
     VALUES ($1, '', '', 'k1', '', now() - interval '30 years')`,
    [id],
  )
  await pool.query(
    `INSERT INTO audit (id, at, action, target, outcome)
     VALUES (gen_random_uuid(), now() - interval '30 years', 'search.export', $1, 'done')`,
    [id],
  )
  await sweepAll()
  const { rows: kept } = await pool.query(
    'SELECT key_id FROM search_link JOIN audit ON target = search_link.id::text WHERE sealed IS NOT NULL',
  )
  expect(kept).toEqual([{ key_id: 'k1' }])
})

test('rows that one round leaves are deleted in the next, also by another process', async () => {
  await fill(1_200)
  await rows.session?.(daysAgo(40))
  const list = retentionRules.filter(({ table }) => table === 'refusal' || table === 'session')
  await openRetentionSweeper(pool, { ...patient, round: 0 }, list).sweep()
  expect(await count('refusal')).toBe(1_200)
  // One step takes longer than a round on any machine.
  await slowDeletes(0.2)
  const sweeper = openRetentionSweeper(pool, { ...patient, round: 100 }, list)
  await sweeper.sweep()
  expect([await count('refusal'), await count('session')]).toEqual([700, 1])
  await sweeper.sweep()
  expect(await count('session')).toBe(0)
  await openRetentionSweeper(pool, patient, list).sweep()
  expect([await count('refusal'), await count('session')]).toEqual([0, 0])
  await usualDeletes()
})

test('the next sweep waits an hour after all was swept', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const sweeper = openRetentionSweeper(pool, patient)
  await sweeper.sweep()
  await fill(1)
  await sweeper.sweep()
  expect(await count('refusal')).toBe(1)
  vi.advanceTimersByTime(patient.every)
  await sweeper.sweep()
  expect(await count('refusal')).toBe(0)
})

test('new rows are written during a step', async () => {
  await fill(10)
  await slowDeletes(0.5)
  let swept = false
  const sweeping = openRetentionSweeper(
    pool,
    { round: 1, every: 1 },
    retentionRules.filter(({ table }) => table === 'refusal'),
  )
    .sweep()
    .then(() => {
      swept = true
    })
  const deleting = async () =>
    (
      await pool.query(
        `SELECT FROM pg_stat_activity WHERE query LIKE 'DELETE FROM refusal%' AND state = 'active' AND datname = current_database()`,
      )
    ).rowCount
  await expect.poll(deleting, { interval: 5 }).toBe(1)
  await rows.refusal?.(new Date())
  expect(swept).toBe(false)
  await sweeping
  await usualDeletes()
  expect(await count('refusal')).toBe(1)
})

test('rows and tables that others have locked are left for later', async () => {
  const logged = captureLog()
  await fill(10)
  await rows.session?.(daysAgo(40))
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT FROM refusal LIMIT 1 FOR UPDATE')
  await other.query('LOCK TABLE session IN ACCESS EXCLUSIVE MODE')
  await sweepAll()
  // The holder of the lock may be logged as well, once for each holder.
  expect(logged.lines.filter(({ component }) => component !== 'database')).toMatchObject([
    { what: '`session`', err: { message: 'canceling statement due to lock timeout' } },
  ])
  logged.stop()
  await other.query('COMMIT')
  other.release()
  expect([await count('refusal'), await count('session')]).toEqual([1, 1])
  await sweepAll()
  expect([await count('refusal'), await count('session')]).toEqual([0, 0])
})
