import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { noCallSource } from '#lib/access/caller.ts'
import type { ChainHead } from '#lib/audit/chain.ts'
import { readHead } from '#lib/audit/heads.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { verifyChain } from '#lib/audit/verify-chain.ts'
import { startHeartbeat } from '#lib/endpoints/gaps/heartbeat.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { listenerName, openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { readPlaceKey } from '#lib/platform/db/which-database.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { noticeRestore, sayRestored } from './notice-restore.ts'
import { markAsBackup, readUnsaidRestore } from './restore-state.ts'

let database: TestConfiguration
let receiverId: string
let heads: ChainHead[]

beforeAll(async () => {
  database = await startDatabase()
  receiverId = (await addReceiver(pool())).id
})
afterAll(() => database.stop())

/** The database was backed up 600 s ago, 5 s after its last delivery, with everything that would continue. */
beforeEach(async () => {
  await pool().query(
    `TRUNCATE audit, audit_link, audit_reason, gap, outage, heartbeat, session, access_link, replay, user_import, lease,
       admin_notice, delivery, delivery_pending;
     DELETE FROM setting WHERE key IN ('restore', 'database-place')`,
  )
  heads = []
  for (let n = 0; n < 3; n++) await act()
  await ageEntries()
  await noticeRestore(pool(), [])
  await beatAgo(600)
  await deliver(605)
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at, created_at)
     VALUES ($1, $2, $1, 'code', 'end-user', now() + interval '1 day', now() + interval '1 day', now() - interval '1 hour')`,
    [crypto.randomUUID(), crypto.randomBytes(32)],
  )
  await pool().query(
    `INSERT INTO access_link (id, kind, token_digest, created_by, expires_at, created_at)
     VALUES ($1, 'invitation', $2, 'kim', now() + interval '7 days', now() - interval '1 hour')`,
    [crypto.randomUUID(), crypto.randomBytes(32)],
  )
  await pool().query(
    `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state) VALUES ($1, 'post', '{}', 1, 'r', 'kim', 9, 'running')`,
    [crypto.randomUUID()],
  )
  await pool().query(
    `INSERT INTO user_import (id, file_name, actor, state, total, broken, created)
     VALUES ($1, 'people.csv', 'kim', 'running', 9, 0, 9)`,
    [crypto.randomUUID()],
  )
})

async function act() {
  const entry = { actor: commandLine, action: 'rebuild.start', outcome: 'done' } as const
  await inTransaction(pool(), (tx) => recordAudit(tx, entry, noCallSource))
  const head = await readHead(pool())
  if (head) heads.push({ ...head, database: (await readPlaceKey(pool())) ?? '' })
}

/** The entries were written an hour ago, and so were their heads. */
async function ageEntries() {
  await pool().query(`UPDATE audit SET at = at - interval '1 hour'`)
  for (const head of heads)
    await pool().query(
      `UPDATE audit_link AS link
       SET entry_digest = audit_entry_digest(audit), previous = before.digest,
         digest = sha256(before.digest || int8send(link.position) || audit_entry_digest(audit) || '-'::bytea)
       FROM audit, (SELECT COALESCE((SELECT digest FROM audit_link WHERE position = $1 - 1), '') AS digest) AS before
       WHERE link.position = $1 AND audit.id = link.entry_id`,
      [head.position],
    )
  const { rows } = await pool().query<{ digest: Buffer }>('SELECT digest FROM audit_link ORDER BY position')
  heads = heads.map((head, n) => ({ ...head, digest: rows[n]?.digest ?? head.digest }))
}

const beatAgo = (seconds: number) =>
  pool().query(
    `INSERT INTO heartbeat (name, at) VALUES ('ingest', now() - $1 * interval '1 s')
     ON CONFLICT (name) DO UPDATE SET at = EXCLUDED.at`,
    [seconds],
  )

const deliver = (secondsAgo: number) => {
  const at = new Date(Date.now() - secondsAgo * 1_000)
  const id = uuidv7().replace(
    /^.{13}/,
    at
      .getTime()
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-'),
  )
  return pool().query(`INSERT INTO delivery (id, receiver_id, received_at, body) VALUES ($1, $2, $3, '{}')`, [
    id,
    receiverId,
    at,
  ])
}

/** The entries after the backup are gone, as after a restore. */
async function cutTo(kept: number) {
  await pool().query('DELETE FROM audit WHERE id IN (SELECT entry_id FROM audit_link WHERE position > $1)', [
    kept,
  ])
  await pool().query('DELETE FROM audit_link WHERE position > $1', [kept])
}

const gaps = async () =>
  (
    await pool().query<{ kind: string; ago: number; ended: number }>(
      `SELECT kind, round(extract(epoch FROM now() - began_at))::int AS ago,
         round(extract(epoch FROM now() - ended_at))::int AS ended
       FROM gap ORDER BY began_at`,
    )
  ).rows

/** The counts say what would continue by itself. */
const goingOn = async () =>
  (
    await pool().query<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM session WHERE ended_at IS NULL) AS sessions,
         (SELECT count(*)::int FROM access_link WHERE withdrawn_at IS NULL) AS links,
         (SELECT count(*)::int FROM replay WHERE state = 'running') AS replays,
         (SELECT count(*)::int FROM user_import WHERE state = 'running') AS imports`,
    )
  ).rows[0]

const all = { sessions: 1, links: 1, replays: 1, imports: 1 }
const nothing = { sessions: 0, links: 0, replays: 0, imports: 0 }
const around = (seconds: number) => expect.toSatisfy((n: number) => Math.abs(n - seconds) <= 5)

const listening = async () =>
  (
    await pool().query(
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [listenerName],
    )
  ).rowCount

/** `startServer` starts a server: it checks for a restore, then beats and listens. */
async function startServer() {
  await noticeRestore(pool(), heads)
  const heartbeat = await startHeartbeat(pool())
  const listener = openListener(database.url)
  await new Promise<void>((resolve) => {
    listener.onListening(resolve)
    listener.subscribe('nothing', () => undefined)
  })
  return async () => {
    await heartbeat.stop()
    await listener.close()
    await expect.poll(listening).toBe(0)
  }
}

it('confirms a restore before the start: the audit verifies, the gap is recorded, and nothing continues', async () => {
  await act()
  await cutTo(3)
  expect((await verifyChain(pool(), heads)).faultCount).toBe(1)
  const said = await sayRestored(pool(), 'the disk broke')
  expect(said).toMatchObject({ kept: 3, ended: { ...all } })
  expect(await gaps()).toEqual([{ kind: 'restored', ago: around(600), ended: around(0) }])
  expect(await goingOn()).toEqual(nothing)
  expect(await verifyChain(pool(), heads)).toMatchObject({
    faultCount: 0,
    restores: [{ kept: 3n, heads: 1 }],
  })
  // The following start notices nothing. Its logs still end with entries that the backup lacks.
  const stop = await startServer()
  expect(await readUnsaidRestore(pool())).toBeNull()
  expect(await gaps()).toHaveLength(1)
  await stop()
})

it('confirms a restored dump before the start, which then notices nothing', async () => {
  await pool().query(`UPDATE setting SET value = '"1/2"' WHERE key = 'database-place'`)
  await sayRestored(pool(), 'the disk broke')
  await (await startServer())()
  expect(await readUnsaidRestore(pool())).toBeNull()
  expect((await pool().query('SELECT FROM admin_notice')).rowCount).toBe(1)
})

it('confirms a backup of a moment ago, after a downtime of Rampart', async () => {
  const stop = await startServer()
  await stop()
  await act()
  await cutTo(3)
  expect(await sayRestored(pool(), 'the disk broke')).toMatchObject({ kept: 3 })
  expect(await gaps()).toEqual([
    { kind: 'down', ago: around(600), ended: around(0) },
    { kind: 'restored', ago: around(0), ended: around(0) },
  ])
})

it('notifies all admins, with the reason', async () => {
  await sayRestored(pool(), 'the disk broke')
  const { rows } = await pool().query('SELECT kind, actor, reason FROM admin_notice')
  expect(rows).toEqual([{ kind: 'backup-restored', actor: null, reason: 'the disk broke' }])
})

it('confirms a restore after a start that could not notice it: the time is no downtime any more, and newer work continues', async () => {
  await act()
  heads = heads.map(({ position, digest, at }) => ({ position, digest, at }))
  await cutTo(3)
  const stop = await startServer()
  expect(await readUnsaidRestore(pool())).toBeNull()
  expect(await gaps()).toEqual([{ kind: 'down', ago: around(600), ended: around(0) }])
  await act()
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, $1, 'code', 'end-user', now() + interval '1 day', now() + interval '1 day')`,
    [crypto.randomUUID(), crypto.randomBytes(32)],
  )
  expect(await sayRestored(pool(), 'the disk broke')).toMatchObject({ kept: 3, ended: { ...all } })
  expect(await gaps()).toEqual([{ kind: 'restored', ago: around(600), ended: around(0) }])
  expect(await goingOn()).toEqual({ ...nothing, sessions: 1 })
  expect(await verifyChain(pool(), heads)).toMatchObject({
    faultCount: 0,
    restores: [{ kept: 3n, heads: 1 }],
  })
  await stop()
})

it.each<[string, () => Promise<unknown>]>([
  ['the backup says so itself', () => markAsBackup(pool())],
  [
    'it lies elsewhere than it did',
    () => pool().query(`UPDATE setting SET value = '"1/2"' WHERE key = 'database-place'`),
  ],
  [
    'the log names entries that it does not have',
    async () => {
      await act()
      await cutTo(3)
    },
  ],
  [
    'the log names another entry at its end',
    async () => {
      await act()
      await cutTo(3)
      const named = heads
      await act()
      heads = named.slice(0, 4)
    },
  ],
])('a start on a restored database notices it, when %s', async (_how, restore) => {
  await restore()
  const stop = await startServer()
  expect(await readUnsaidRestore(pool())).toMatchObject({ kept: 3 })
  expect(await gaps()).toEqual([{ kind: 'restored', ago: around(600), ended: around(0) }])
  expect(await goingOn()).toEqual(nothing)
  const { rows } = await pool().query('SELECT kind, reason FROM admin_notice')
  expect(rows).toEqual([{ kind: 'backup-restored', reason: null }])
  // The notice is written once, however often the database is started before a person gives the reason.
  await stop()
  await (await startServer())()
  expect(await gaps()).toHaveLength(1)
  expect((await pool().query('SELECT FROM admin_notice')).rowCount).toBe(1)

  await sayRestored(pool(), 'the disk broke')
  expect(await readUnsaidRestore(pool())).toBeNull()
  expect(await gaps()).toHaveLength(1)
  expect((await verifyChain(pool(), heads)).faultCount).toBe(0)
  await (await startServer())()
  expect(await readUnsaidRestore(pool())).toBeNull()
})

it('a backup without a heartbeat has no gap', async () => {
  await pool().query('TRUNCATE audit, audit_link, audit_reason, heartbeat, delivery')
  await markAsBackup(pool())
  expect(await sayRestored(pool(), 'moved')).toMatchObject({ kept: 0, gap: null })
  expect(await gaps()).toEqual([])
  expect(await verifyChain(pool(), heads)).toMatchObject({
    faultCount: 0,
    restores: [{ kept: 0n, heads: 3 }],
  })
})

it.each<[string, () => Promise<unknown>]>([
  ['on the same database', async () => undefined],
  [
    'after a kill, before the last entry was given away',
    async () => {
      await act()
      heads.pop()
    },
  ],
  [
    'with the log of another database',
    async () => {
      heads = heads.map((head) => ({ ...head, position: head.position + 90n, database: '1/2' }))
    },
  ],
])('a start %s notices nothing', async (_which, prepare) => {
  await prepare()
  const stop = await startServer()
  expect(await readUnsaidRestore(pool())).toBeNull()
  expect(await goingOn()).toEqual(all)
  expect(await gaps()).toEqual([{ kind: 'down', ago: around(600), ended: around(0) }])
  await stop()
})

it('deferred deliveries that may have come before the backup was restored do not count as recovered', async () => {
  // The retries were due when the other database accepted them.
  const id = uuidv7()
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at, ended_at)
     VALUES ($1, 'deferred', $2, now() - interval '11 minutes', now() - interval '650 s')`,
    [id, receiverId],
  )
  await sayRestored(pool(), 'the disk broke')
  await deliver(0)
  const { closeSettledGaps } = await import('#lib/endpoints/gaps/close-settled-gaps.ts')
  await inTransaction(pool(), (tx) => closeSettledGaps(tx, [], Date.now() + 7 * 86_400_000))
  expect((await pool().query('SELECT outcome FROM gap WHERE id = $1', [id])).rows).toEqual([
    { outcome: null },
  ])
})
