import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#lib/auth/caller.ts'
import { type Listener, openListener } from '#lib/db/listen.ts'
import { pool } from '#lib/db/pool.ts'
import type { Role } from '#lib/domain/roles.ts'
import { changedChannel, changedPayloads } from '#lib/projector/changed.ts'
import { callerWith } from '../../test/callers.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { type Hub, openHub } from './hub.ts'
import { openStream } from './open-stream.ts'

let database: TestDatabase
let listener: Listener
let hub: Hub

beforeAll(async () => {
  database = await createTestDatabase()
  configure({ DATABASE_URL: database.url })
  listener = openListener(database.url)
  hub = openHub(listener)
  await new Promise<void>((resolve) => listener.onListening(resolve))
})
afterAll(async () => {
  await listener.close()
  await pool().end()
  await globalThis.rampartPrisma?.$disconnect()
  await database.drop()
})

const ana = crypto.randomUUID()

async function signIn(role: Role, userUuid: string = crypto.randomUUID()): Promise<Caller> {
  const caller = callerWith(role, { userUuid })
  const later = new Date(Date.now() + 3_600_000)
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, $3, 'code', $4, $5, $5)`,
    [caller.sessionId, crypto.randomBytes(32), userUuid, role, later],
  )
  if (role !== 'end-user')
    await pool().query(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'M', $3)`, [
      crypto.randomUUID(),
      userUuid,
      role,
    ])
  return caller
}

/** Collects what a stream sends. */
function read(caller: Caller, options: { lastEventId?: string; heartbeat?: number } = {}) {
  const leaving = new AbortController()
  const stream = openStream(caller, {
    lastEventId: options.lastEventId ?? null,
    signal: leaving.signal,
    source: hub,
    heartbeat: options.heartbeat ?? 15_000,
  })
  const seen = { text: '', ended: false }
  void (async () => {
    for await (const chunk of stream) seen.text += Buffer.from(chunk).toString()
    seen.ended = true
  })()
  return { seen, leave: () => leaving.abort() }
}

const tell = (...subjects: [string, string | null][]) =>
  pool().query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
    changedChannel,
    changedPayloads(
      subjects.map(([subjectId, userUuid]) => ({ subjectId, userUuid })),
      Date.now(),
    ),
  ])

test('staff hear of every subject, an end user only of their own', async () => {
  const staff = read(await signIn('support'))
  const person = read(await signIn('end-user', ana))
  await tell(['transaction:a', ana], ['transaction:b', crypto.randomUUID()], ['unknown:c', null])
  await expect.poll(() => staff.seen.text).toContain('"transaction:a","transaction:b","unknown:c"')
  await expect.poll(() => person.seen.text).toContain('"subjects":["transaction:a"]')
  await tell(['transaction:d', crypto.randomUUID()])
  await expect.poll(() => staff.seen.text).toContain('transaction:d')
  expect(person.seen.text).not.toContain('transaction:d')
  staff.leave()
  await expect.poll(() => staff.seen.ended).toBe(true)
  person.leave()
})

test('a browser that comes back hears what it missed, or that anything may have changed', async () => {
  const caller = await signIn('support')
  const first = read(caller)
  await tell(['transaction:e', null])
  await expect.poll(() => first.seen.text).toContain('transaction:e')
  first.leave()
  await tell(['transaction:f', null])
  const lastEventId = [...first.seen.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? ''
  const again = read(caller, { lastEventId })
  await expect.poll(() => again.seen.text).toContain('transaction:f')
  expect(again.seen.text).not.toContain('transaction:e')
  const stranger = read(caller, { lastEventId: 'another-process.7' })
  await expect.poll(() => stranger.seen.text).toContain('"subjects":null')
  again.leave()
  stranger.leave()
})

test('the stream shows that it lives, and ends with the session or the role', async () => {
  const one = await signIn('support')
  const other = await signIn('admin')
  const streams = [read(one, { heartbeat: 50 }), read(other, { heartbeat: 50 })]
  for (const { seen } of streams) await expect.poll(() => seen.text).toContain(': still here')
  await pool().query('UPDATE session SET ended_at = now() WHERE id = $1', [one.sessionId])
  await expect.poll(() => streams[0]?.seen.ended).toBe(true)
  expect(streams[1]?.seen.ended).toBe(false)
  await pool().query('UPDATE member SET removed_at = now() WHERE user_uuid = $1', [other.userUuid])
  await expect.poll(() => streams[1]?.seen.ended).toBe(true)
})

test('after a break of the database connection anything may have changed', async () => {
  const staff = read(await signIn('support'))
  await pool().query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rampart listen' AND datname = current_database()`,
  )
  await expect.poll(() => staff.seen.text, { timeout: 5_000 }).toContain('"subjects":null')
  await tell(['transaction:g', null])
  await expect.poll(() => staff.seen.text).toContain('transaction:g')
  staff.leave()
})

test('a batch too large for one notification is told in several', async () => {
  const many = Array.from({ length: 300 }, (_, i): [string, string] => [
    `transaction:${i}-${crypto.randomUUID()}`,
    ana,
  ])
  const staff = read(await signIn('support'))
  await tell(...many)
  await expect.poll(() => many.every(([id]) => staff.seen.text.includes(id))).toBe(true)
  staff.leave()
})
