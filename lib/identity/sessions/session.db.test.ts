import crypto from 'node:crypto'
import { encode } from 'next-auth/jwt'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { getProfile } from '#lib/people/own/get-profile.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { getUser } from '#lib/service/operations.ts'
import { serviceClient as ours } from '#lib/service/service-client.ts'
import { newAccount } from '../../../test/accounts.ts'
import { newBrowser } from '../../../test/callers.ts'
import { captureLog } from '../../../test/log.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { listMembers } from '../members/list-members.ts'
import { authOptions } from '../next-auth/route.ts'
import { callAsUser, openSession } from './open-session.ts'
import { listOwnSessions } from './person-sessions.ts'
import { endSession, isSignedInStill, readSession, touchSession } from './read-session.ts'
import { readSessionToken, sessionCookie } from './session-cookie.ts'
import { findSessionOwner, readSessionState } from './session-state.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const hours = (count: number) => new Date(Date.now() + count * 3_600_000)

async function signIn(role: Role = 'end-user', serviceSessionId = `s-${crypto.randomUUID()}`) {
  const userUuid = crypto.randomUUID()
  if (role !== 'end-user')
    await prisma().member.create({ data: { id: uuidv7(), userUuid, name: 'Kim', role } })
  return { userUuid, token: await open(userUuid, serviceSessionId, role), serviceSessionId }
}

const open = (
  userUuid: string,
  serviceSessionId: string,
  role: Role = 'end-user',
  userAgent = 'test',
  at = new Date(),
) =>
  inTransaction(pool(), (tx) =>
    openSession(
      tx,
      { userUuid, memberId: null, method: 'code', serviceSessionId, role },
      { ...newBrowser(), userAgent },
      at,
    ),
  )

/** The member of staff has no account at the service. */
async function signInWithoutAccount(role: Role) {
  const memberId = uuidv7()
  await prisma().member.create({ data: { id: memberId, name: 'Kim', email: 'kim@demo.test', role } })
  const token = await inTransaction(pool(), (tx) =>
    openSession(
      tx,
      { userUuid: null, memberId, method: 'passkey', serviceSessionId: null, role },
      newBrowser(),
      new Date(),
    ),
  )
  return { memberId, token }
}

async function callerOf(token: string): Promise<Caller> {
  const caller = await readSession(token, new Date())
  if (!caller) throw new Error('nobody is signed in')
  return caller
}

describe('a session', () => {
  it('is found by its token alone, of which only a digest is kept', async () => {
    const { token, userUuid, serviceSessionId } = await signIn('support')
    expect(await readSession(token, new Date())).toMatchObject({ userUuid, role: 'support', name: 'Kim' })
    expect(await readSession(`${token}x`, new Date())).toBeNull()
    const row = await prisma().session.findFirstOrThrow({ where: { userUuid } })
    const kept = JSON.stringify(row, (_key, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    )
    expect(kept).not.toContain(token)
    expect(kept).not.toContain(serviceSessionId)
  })

  it('ends on the server at sign-out: its cookie is rejected afterwards', async () => {
    const { token, userUuid } = await signIn()
    await endSession(token, 'signed-out', newBrowser())
    expect(await readSession(token, new Date())).toBeNull()
    expect(await findSessionOwner(token)).toBe(userUuid)
    expect(await prisma().session.findFirst({ where: { userUuid } })).toMatchObject({
      endReason: 'signed-out',
      serviceSession: null,
    })
    expect(await prisma().audit.count({ where: { actor: userUuid, action: 'session.end' } })).toBe(1)
    await endSession(token, 'signed-out', newBrowser())
    expect(await prisma().audit.count({ where: { actor: userUuid, action: 'session.end' } })).toBe(1)
  })

  it.each([
    ['end-user', 12 * 60, 24 * 60],
    ['support', 30, 12 * 60],
    ['admin', 30, 12 * 60],
  ] as const)(
    'of %s is over after %i minutes without use, and after %i at the latest',
    async (role, idle, longest) => {
      const { token } = await signIn(role)
      const at = (minutes: number) => readSession(token, hours(minutes / 60))
      expect(await at(idle - 1)).not.toBeNull()
      // Reading does not count as use.
      expect(await at(idle + 1)).toBeNull()
      const row = { tokenDigest: digestToken(token) }
      await prisma().session.update({ where: row, data: { idleExpiresAt: hours(48), lastSeenAt: hours(24) } })
      expect(await at(longest - 1)).not.toBeNull()
      expect(await at(longest + 1)).toBeNull()
    },
  )

  it('is prolonged by use', async () => {
    const { token } = await signIn('admin')
    const row = { tokenDigest: digestToken(token) }
    await prisma().session.update({
      where: row,
      data: { lastSeenAt: hours(-0.4), idleExpiresAt: hours(0.1) },
    })
    const until = await touchSession(await callerOf(token))
    expect(until).toBeGreaterThan(hours(0.45).getTime())
    expect(await readSession(token, hours(0.45))).not.toBeNull()
  })

  it.each([-90, -5, 5, 90])(
    'lasts as long after its use, and is shown, where this machine’s clock is %s minutes ahead of the database’s',
    async (ahead) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 60_000, shouldAdvanceTime: true })
      try {
        const { token } = await signIn('admin')
        const row = { tokenDigest: digestToken(token) }
        const used = { lastSeenAt: hours(-0.4), idleExpiresAt: hours(0.1) }
        await prisma().session.update({ where: row, data: used })
        const caller = await callerOf(token)
        expect(await touchSession(caller)).toBeCloseTo(hours(0.5).getTime(), -5)
        expect(await readSession(token, hours(0.45))).not.toBeNull()
        expect(await readSession(token, hours(0.55))).toBeNull()
        // Use within the next seconds is not recorded again.
        const { lastSeenAt } = await prisma().session.findUniqueOrThrow({ where: row })
        await touchSession(caller)
        expect((await prisma().session.findUniqueOrThrow({ where: row })).lastSeenAt).toEqual(lastSeenAt)
        expect(await listOwnSessions(caller)).toHaveLength(1)
        const members = await listMembers({ ...caller, role: 'admin' })
        expect(members.find((member) => member.id === caller.memberId)?.sessions).toBe(1)
        await prisma().session.update({ where: row, data: { idleExpiresAt: hours(-0.01) } })
        expect(await listOwnSessions(caller)).toEqual([])
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it('of an end user who became staff meanwhile is as short as that of staff', async () => {
    const { token, userUuid } = await signIn()
    await prisma().member.create({ data: { id: uuidv7(), userUuid, name: 'Kim', role: 'admin' } })
    expect(await readSession(token, hours(0.45))).not.toBeNull()
    expect(await readSession(token, hours(0.55))).toBeNull()
  })

  it('says to its open pages how it stands, which is no use of it', async () => {
    const { token, userUuid } = await signIn('admin')
    expect(await readSessionState(null)).toEqual({ state: 'ended' })
    expect(await readSessionState('unknown')).toEqual({ state: 'ended' })
    const active = await readSessionState(token)
    expect(active).toMatchObject({ state: 'active', person: expect.any(String) })
    expect(JSON.stringify(active)).not.toContain(userUuid)
    expect(await readSessionState(token, hours(0.6))).toEqual({ state: 'locked' })
    expect(await readSessionState(token, hours(13))).toEqual({ state: 'locked' })
    await endSession(token, 'signed-out', newBrowser())
    expect(await readSessionState(token)).toEqual({ state: 'ended' })
    const other = await signIn('admin')
    await endSession(other.token, 'replaced', newBrowser())
    expect(await readSessionState(other.token)).toEqual({ state: 'replaced' })
  })

  it.each([
    ['is removed', { removedAt: new Date() }],
    ['gets a lesser role', { role: 'support' }],
    ['gets a role that does not exist', { role: 'superuser' }],
  ])('ends at the next call when an admin %s', async (_what, change) => {
    const { token, userUuid } = await signIn('admin')
    expect(await readSession(token, new Date())).toMatchObject({ role: 'admin' })
    await prisma().member.update({ where: { userUuid }, data: change })
    expect(await readSession(token, new Date())).toBeNull()
    await prisma().member.update({ where: { userUuid }, data: { role: 'admin', removedAt: null } })
    expect(await readSession(token, new Date())).toBeNull()
    expect(await prisma().audit.findMany({ where: { target: userUuid } })).toMatchObject([
      { actor: null, action: 'session.end', outcome: 'done', details: { why: 'role-lost' } },
    ])
  })

  it.each([
    ['signs out', (_: string, token: string) => endSession(token, 'signed-out', newBrowser())],
    [
      'is removed',
      (userUuid: string) => prisma().member.update({ where: { userUuid }, data: { removedAt: new Date() } }),
    ],
    [
      'gets another role',
      (userUuid: string) => prisma().member.update({ where: { userUuid }, data: { role: 'operator' } }),
    ],
    [
      'did nothing for too long',
      (userUuid: string) =>
        prisma().session.updateMany({ where: { userUuid }, data: { idleExpiresAt: new Date() } }),
    ],
  ])('stands no more for what outlasts a request when its owner %s', async (_what, end) => {
    const { token, userUuid } = await signIn('admin')
    const caller = await callerOf(token)
    expect(await isSignedInStill(caller)).toBe(true)
    await end(userUuid, token)
    expect(await isSignedInStill(caller)).toBe(false)
  })

  it('goes on for what outlasts a request while its owner signs in again in the same browser', async () => {
    const { token, userUuid } = await signIn('admin')
    const caller = await callerOf(token)
    let latest = token
    for (let times = 0; times < 2; times++) {
      const next = await open(userUuid, `s-${crypto.randomUUID()}`, 'admin')
      await endSession(latest, 'replaced', newBrowser())
      latest = next
      expect(await isSignedInStill(caller)).toBe(true)
    }
    // Another session began later, and did not replace this one.
    await open(userUuid, `s-${crypto.randomUUID()}`, 'admin')
    await endSession(latest, 'signed-out', newBrowser())
    expect(await isSignedInStill(caller)).toBe(false)
  })

  it.each(['a phone', 'test'])(
    'goes on for what outlasts a request after its owner signed in elsewhere just before, and out: %s',
    async (elsewhere) => {
      const { token, userUuid } = await signIn('admin')
      const caller = await callerOf(token)
      const halfAMinuteAgo = new Date(Date.now() - 30_000)
      const other = await open(userUuid, `s-${crypto.randomUUID()}`, 'admin', elsewhere, halfAMinuteAgo)
      await open(userUuid, `s-${crypto.randomUUID()}`, 'admin')
      await endSession(token, 'replaced', newBrowser())
      await endSession(other, 'signed-out', newBrowser())
      expect(await isSignedInStill(caller)).toBe(true)
    },
  )

  it.each([
    ['nobody', async () => undefined],
    ['somebody else', async () => void (await signIn('admin'))],
    [
      'its owner, who signed in elsewhere an hour ago',
      async (userUuid: string) => {
        await open(userUuid, `s-${crypto.randomUUID()}`, 'admin')
        const createdAt = hours(-1)
        await prisma().session.updateMany({ where: { userUuid, endedAt: null }, data: { createdAt } })
      },
    ],
    [
      'nobody, just after its owner signed in elsewhere',
      (userUuid: string) => open(userUuid, `s-${crypto.randomUUID()}`, 'admin', 'a phone'),
    ],
    [
      'its owner with another role',
      async (userUuid: string) => {
        await prisma().member.update({ where: { userUuid }, data: { role: 'support' } })
        await open(userUuid, `s-${crypto.randomUUID()}`, 'support')
      },
    ],
  ])('stands no more for what outlasts a request when it is replaced by %s', async (_what, replace) => {
    const { token, userUuid } = await signIn('admin')
    const caller = await callerOf(token)
    await replace(userUuid)
    await endSession(token, 'replaced', newBrowser())
    expect(await isSignedInStill(caller)).toBe(false)
  })

  it('may be a member’s who has no account at the service', async () => {
    const { memberId, token } = await signInWithoutAccount('support')
    expect(await readSession(token, new Date())).toMatchObject({
      id: memberId,
      memberId,
      userUuid: null,
      role: 'support',
      name: 'Kim',
      email: 'kim@demo.test',
      method: 'passkey',
    })
    await endSession(token, 'signed-out', newBrowser())
    expect(await findSessionOwner(token)).toBe(memberId)
    expect(await prisma().audit.count({ where: { actor: memberId, action: 'session.end' } })).toBe(1)
  })

  it.each([['support'], ['end-user']] as const)(
    'of a member without an account, with the role %s, ends when the member is removed',
    async (role) => {
      const { memberId, token } = await signInWithoutAccount(role)
      expect(await readSession(token, new Date())).toMatchObject({ role })
      await prisma().member.update({ where: { id: memberId }, data: { removedAt: new Date() } })
      expect(await readSession(token, new Date())).toBeNull()
      expect(await prisma().session.findFirst({ where: { memberId } })).toMatchObject({
        endReason: 'role-lost',
      })
    },
  )

  it('of a member with an account knows both, however it was opened', async () => {
    const { userUuid } = await signIn('support')
    const { id: memberId } = await prisma().member.findUniqueOrThrow({ where: { userUuid } })
    const token = await inTransaction(pool(), (tx) =>
      openSession(
        tx,
        { userUuid: null, memberId, method: 'sso', serviceSessionId: null, role: 'support' },
        newBrowser(),
        new Date(),
      ),
    )
    expect(await readSession(token, new Date())).toMatchObject({ id: userUuid, userUuid, memberId })
  })

  it('is of somebody: the database keeps none of nobody', async () => {
    const nobody = { userUuid: null, memberId: null, method: 'code', serviceSessionId: null } as const
    const opening = inTransaction(pool(), (tx) =>
      openSession(tx, { ...nobody, role: 'end-user' }, newBrowser(), new Date()),
    )
    await expect(opening).rejects.toThrow('session_of_somebody')
  })

  it('has a role gained meanwhile at the next call', async () => {
    const { token, userUuid } = await signIn()
    await prisma().member.create({ data: { id: uuidv7(), userUuid, name: 'Kim', role: 'support' } })
    expect(await readSession(token, new Date())).toMatchObject({ role: 'support' })
  })
})

describe('the cookie', () => {
  const cookiesWith = (value: string) => ({
    get: (name: string) => (name === sessionCookie().name ? { value } : undefined),
  })

  it('carries nothing but the random token', async () => {
    const { jwt } = authOptions().callbacks ?? {}
    const user = { id: 't'.repeat(43), name: 'Ana', email: 'ana@demo.test' }
    const token = await jwt?.({ token: { sub: user.id, ...user }, user, account: null, trigger: 'signIn' })
    expect(token).toEqual({ token: user.id })
  })

  it('ignores a session update sent by a browser', async () => {
    const { jwt, session } = authOptions().callbacks ?? {}
    const user = { id: 'u'.repeat(43) }
    const token = { token: 't'.repeat(43) }
    const update = {
      token,
      user,
      account: null,
      trigger: 'update',
      session: { token: user.id, role: 'admin' },
    } as const
    expect(await jwt?.(update)).toEqual(token)
    const expires = new Date().toISOString()
    const given = {
      session: { expires, user: { name: 'Ana' } },
      token,
      user,
      newSession: {},
      trigger: 'update',
    } as const
    expect(await session?.({ ...given, user: { ...user, email: '', emailVerified: null } })).toEqual({
      expires,
    })
  })

  it('is read when it was made here, and is nothing otherwise', async () => {
    const token = 't'.repeat(43)
    const [secret] = env().nextauthSecrets
    const logged = captureLog()
    expect(await readSessionToken(cookiesWith(await encode({ token: { token }, secret })))).toBe(token)
    expect(
      await readSessionToken(cookiesWith(await encode({ token: { token }, secret: 'another' }))),
    ).toBeNull()
    expect(
      await readSessionToken(cookiesWith(await encode({ token: { token }, secret, maxAge: -60 }))),
    ).toBeNull()
    expect(await readSessionToken(cookiesWith(await encode({ token: { sub: token }, secret })))).toBeNull()
    expect(await readSessionToken(cookiesWith('nonsense'))).toBeNull()
    logged.stop()
    const spoilt = 'A session cookie was not made under this NEXTAUTH_SECRET, or is spoilt'
    expect(logged.lines.map(({ level, cause, message }) => [level, cause, message])).toEqual([
      ['info', 'ERR_JWE_DECRYPTION_FAILED', spoilt],
      ['info', 'ERR_JWT_EXPIRED', spoilt],
      ['info', 'ERR_JWE_INVALID', spoilt],
    ])
  })
})

describe('a call on behalf of a user', () => {
  const never = () => new Promise<never>(() => {})

  it('reads the profile with the caller’s own service session', async () => {
    const { email, userUuid } = await newAccount()
    const ask = (path: string, body: object) =>
      fetch(`${service.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization: service.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await ask('/auth/login', { user_uuid: userUuid })
    const [code] = await service.codes(email)
    const answer = await (await ask('/auth/otp/', { user_uuid: userUuid, one_time_password: code })).json()
    const serviceSessionId = String(answer.service_session_id)
    const token = await open(userUuid, serviceSessionId)
    expect(await getProfile(await callerOf(token))).toMatchObject({
      kind: 'profile',
      profile: { email, userUuid },
    })
    service.answerWith(503, (route) => route === 'GET /user', 2)
    expect(await getProfile(await callerOf(token))).toMatchObject({ kind: 'unavailable', profile: { email } })
    const other = await open(crypto.randomUUID(), serviceSessionId)
    expect(await getProfile(await callerOf(other))).toMatchObject({ kind: 'unavailable', profile: null })
  })

  it('drops the service session after a 401 and asks to sign in again; the session itself stays', async () => {
    const { token } = await signIn('end-user', 'a-session-the-service-does-not-know')
    const caller = await callerOf(token)
    await expect(callAsUser(caller, (as) => getUser(ours(), as))).rejects.toThrow(SignInAgain)
    expect(await readSession(token, new Date())).not.toBeNull()
    const asked = service.seen.length
    await expect(callAsUser(caller, never)).rejects.toThrow(SignInAgain)
    expect(service.seen.length).toBe(asked)
    expect(await getProfile(caller)).toMatchObject({ kind: 'sign-in-again' })
  })

  it('keeps the session and notifies the admins when the API key is refused', async () => {
    const { token, userUuid } = await signIn('end-user', 'a-session')
    const caller = await callerOf(token)
    service.answerWith(401, (route) => route === 'GET /supported/countries')
    await expect(callAsUser(caller, (as) => getUser(ours(), as))).rejects.toThrow(Refused)
    expect(await prisma().session.findFirst({ where: { userUuid } })).toMatchObject({ serviceKeyId: 'k1' })
    expect(await prisma().audit.count({ where: { actor: userUuid, action: 'service.key-refused' } })).toBe(1)
  })

  it('is refused to a member who has no account, before anybody is asked', async () => {
    const { token } = await signInWithoutAccount('admin')
    const caller = await callerOf(token)
    const asked = service.seen.length
    await expect(callAsUser(caller, never)).rejects.toThrow('You have no account at the payment provider.')
    await expect(getProfile(caller)).rejects.toThrow(Refused)
    expect(service.seen.length).toBe(asked)
  })

  it('drops nothing when the service cannot say why', async () => {
    const { token, userUuid } = await signIn('end-user', 'a-session')
    const caller = await callerOf(token)
    service.answerWith(503, (route) => route === 'GET /supported/countries', 2)
    await expect(callAsUser(caller, (as) => getUser(ours(), as))).rejects.toThrow(ServiceError)
    expect(await prisma().session.findFirst({ where: { userUuid } })).toMatchObject({ serviceKeyId: 'k1' })
  })
})
