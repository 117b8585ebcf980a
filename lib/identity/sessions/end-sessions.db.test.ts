import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { openSession, startSession } from './open-session.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from './person-sessions.ts'
import { endSession, readSession } from './read-session.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** The admin signs in once more, by passkey, because the member has no account at the service. */
async function signIn(memberId: string, userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0') {
  const who = { userUuid: null, memberId, method: 'passkey', serviceSessionId: null, role: 'admin' } as const
  const token = await inTransaction(pool(), (tx) =>
    openSession(tx, who, { ...newBrowser(), userAgent }, new Date()),
  )
  const caller = await readSession(token, new Date())
  if (!caller) throw new Error('nobody is signed in')
  return { token, caller }
}

async function newMember(): Promise<string> {
  const id = uuidv7()
  await prisma().member.create({ data: { id, name: 'Kim', role: 'admin' } })
  return id
}

const stands = async ({ token }: { token: string }) => (await readSession(token, new Date())) !== null

/** The replay of this session has no runner: only its row counts here. */
async function running({ sessionId, id }: Caller): Promise<string> {
  const replay = {
    id: uuidv7(),
    kind: 'fold',
    filter: {},
    pace: 0,
    reason: 'a test',
    total: 1,
    state: 'running',
  }
  await prisma().replay.create({ data: { ...replay, actor: id, sessionId } })
  return replay.id
}

const stateOf = async (id: string) => (await prisma().replay.findUniqueOrThrow({ where: { id } })).state

it('sessions are listed with their device, the last used first, and ended one by one', async () => {
  const memberId = await newMember()
  const first = await signIn(memberId, 'Mozilla/5.0 (iPhone) Version/18.0 Safari/605')
  const second = await signIn(memberId)
  const listed = await listOwnSessions(second.caller)
  expect(listed).toMatchObject([
    { device: 'Firefox on Linux', current: true, method: 'passkey' },
    { device: 'Safari on iPhone', current: false },
  ])
  await endOwnSession(second.caller, { sessionId: listed[1]?.id ?? '' }, newBrowser())
  expect([await stands(first), await stands(second)]).toEqual([false, true])
  expect(await listOwnSessions(second.caller)).toHaveLength(1)
  expect(await prisma().audit.count({ where: { actor: memberId, action: 'session.end' } })).toBe(1)
})

it('whoever confirms who they are was seen then, at the latest', async () => {
  const { caller } = await signIn(await newMember())
  const confirmed = new Date(Date.now() + 15_000).toISOString()
  await pool().query('UPDATE session SET signed_in_at = $2 WHERE id = $1', [caller.sessionId, confirmed])
  expect(await listOwnSessions(caller)).toMatchObject([{ signedInAt: confirmed, lastSeenAt: confirmed }])
})

it('another person’s session cannot be ended', async () => {
  const [one, two] = [await signIn(await newMember()), await signIn(await newMember())]
  const ending = endOwnSession(one.caller, { sessionId: two.caller.sessionId }, newBrowser())
  await expect(ending).rejects.toThrow('This session has ended already.')
  const unknown = endOwnSession(one.caller, { sessionId: crypto.randomUUID() }, newBrowser())
  await expect(unknown).rejects.toThrow('This session has ended already.')
  expect(await stands(two)).toBe(true)
})

it('all others are ended at once', async () => {
  const memberId = await newMember()
  const others = [await signIn(memberId), await signIn(memberId)]
  const own = await signIn(memberId)
  expect(await endOtherSessions(own.caller, {}, newBrowser())).toEqual({ ended: 2 })
  expect(await Promise.all([...others, own].map(stands))).toEqual([false, false, true])
})

/** Somebody signs in once more, as they do in every browser, and this is recorded. */
async function start(who: { userUuid: string | null; memberId: string | null }): Promise<string> {
  const signedIn = { ...who, method: 'wallet', serviceSessionId: 'at the service', role: 'end-user' } as const
  return inTransaction(pool(), (tx) => startSession(tx, signedIn, newBrowser()))
}

const openOf = async (userUuid: string) =>
  (await pool().query('SELECT FROM session WHERE user_uuid = $1 AND ended_at IS NULL', [userUuid])).rowCount

const endsOf = (actor: string) =>
  prisma().audit.findMany({
    where: { actor, action: 'session.end' },
    select: { details: true, target: true },
  })

it('a person has 50 open sessions at most: the least recently used one ends for a new one', async () => {
  const [userUuid, stranger] = [crypto.randomUUID(), crypto.randomUUID()]
  const [own, other] = [
    { userUuid, memberId: null },
    { userUuid: stranger, memberId: null },
  ]
  const tokens = [await start(other)]
  for (let n = 0; n < 50; n++) tokens.push(await start(own))
  expect(await openOf(userUuid)).toBe(50)
  expect(await endsOf(userUuid)).toEqual([])
  const [, first = '', second = ''] = tokens
  await pool().query(
    `UPDATE session SET last_seen_at = now() + interval '1 minute' WHERE token_digest = $1`,
    [digestToken(first)],
  )
  tokens.push(await start(own))
  const read = await Promise.all(tokens.map((token) => readSession(token, new Date())))
  expect(tokens.filter((_token, n) => read[n] === null)).toEqual([second])
  const ended = await prisma().session.findUniqueOrThrow({ where: { tokenDigest: digestToken(second) } })
  expect(ended).toMatchObject({ endReason: 'replaced', serviceSession: null, serviceKeyId: null })
  expect(await endsOf(userUuid)).toEqual([
    { details: { why: 'replaced', session: ended.id }, target: userUuid },
  ])
  const caller = read.at(-1)
  if (!caller) throw new Error('nobody is signed in')
  expect(await listOwnSessions(caller)).toHaveLength(50)
  expect(await endOtherSessions(caller, {}, newBrowser())).toEqual({ ended: 49 })
})

it('sessions that have expired make room first, and nobody is told that they end', async () => {
  const userUuid = crypto.randomUUID()
  const own = { userUuid, memberId: null }
  const tokens: string[] = []
  for (let n = 0; n < 50; n++) tokens.push(await start(own))
  const [oldest = ''] = tokens
  await pool().query(
    `UPDATE session SET idle_expires_at = now() - interval '1 s', last_seen_at = now() + interval '1 minute'
     WHERE user_uuid = $1 AND token_digest = ANY($2)`,
    [userUuid, tokens.slice(10, 13).map(digestToken)],
  )
  for (let n = 0; n < 3; n++) await start(own)
  expect(await openOf(userUuid)).toBe(50)
  expect(await endsOf(userUuid)).toEqual([])
  expect(await readSession(oldest, new Date())).not.toBeNull()
  await start(own)
  expect(await readSession(oldest, new Date())).toBeNull()
  expect(await endsOf(userUuid)).toHaveLength(1)
})

it('sessions of a member count with those of their account, and their replays run on', async () => {
  const memberId = await newMember()
  const userUuid = crypto.randomUUID()
  const { caller } = await signIn(memberId)
  const replay = await running(caller)
  await prisma().member.update({ where: { id: memberId }, data: { userUuid } })
  for (let n = 0; n < 25; n++) await start({ userUuid: null, memberId })
  for (let n = 0; n < 25; n++) await start({ userUuid, memberId: null })
  const left = { memberId, userUuid }
  expect(await listOwnSessions({ ...caller, ...left })).toHaveLength(50)
  expect(await prisma().session.findUnique({ where: { id: caller.sessionId } })).toMatchObject({
    endReason: 'replaced',
  })
  expect(await stateOf(replay)).toBe('running')
})

it('many sign-ins of a person at once leave a bounded number, which the next one brings down', async () => {
  const own = { userUuid: crypto.randomUUID(), memberId: null }
  for (let round = 0; round < 7; round++) await Promise.all(Array.from({ length: 10 }, () => start(own)))
  expect(await openOf(own.userUuid)).toBeLessThanOrEqual(60)
  await start(own)
  expect(await openOf(own.userUuid)).toBe(50)
})

it('a sign-in waits for nobody who is ending the sessions that it would end', async () => {
  const userUuid = crypto.randomUUID()
  const own = { userUuid, memberId: null }
  for (let n = 0; n < 50; n++) await start(own)
  await inTransaction(pool(), async (tx) => {
    await tx.query('SELECT FROM session WHERE user_uuid = $1 FOR UPDATE', [userUuid])
    await start(own)
  })
  expect(await openOf(userUuid)).toBe(51)
})

it('a replay stops with the session that started it, and no other one does', async () => {
  const memberId = await newMember()
  const [one, two] = [await signIn(memberId), await signIn(memberId)]
  const [ofOne, ofTwo] = [await running(one.caller), await running(two.caller)]
  await endOwnSession(two.caller, { sessionId: one.caller.sessionId }, newBrowser())
  expect([await stateOf(ofOne), await stateOf(ofTwo)]).toEqual(['stopped', 'running'])
})

it('a replay runs on when its person signs out or in anew, and stops with their next session that is ended', async () => {
  const memberId = await newMember()
  const [first, other] = [await signIn(memberId), await signIn(await newMember())]
  const replay = await running(first.caller)
  await endSession(first.token, 'replaced', newBrowser())
  await endOwnSession(other.caller, { sessionId: other.caller.sessionId }, newBrowser())
  expect(await stateOf(replay)).toBe('running')
  const [second, third] = [await signIn(memberId), await signIn(memberId)]
  await endOwnSession(third.caller, { sessionId: second.caller.sessionId }, newBrowser())
  expect(await stateOf(replay)).toBe('stopped')
})
