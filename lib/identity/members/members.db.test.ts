import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { listAudit } from '#lib/audit/list-audit.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { listLeftBehind } from '#lib/endpoints/list-left-behind.ts'
import { newReceiverAddress } from '#lib/endpoints/repair-endpoint.ts'
import { deleteEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { changeApiKey, shareVerification } from '#lib/endpoints/service-key/change-api-key.ts'
import { findKeyGiver } from '#lib/endpoints/service-key/stored-api-key.ts'
import { changeSettings } from '#lib/operations/settings/settings-forms.ts'
import { eraseUser } from '#lib/people/erasure/erase-user.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import { createUser } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { auditAbout } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { invite, listInvitations } from '../links/invitations.ts'
import { openSession } from '../sessions/open-session.ts'
import { readSession } from '../sessions/read-session.ts'
import { changeRole, endMemberSessions, removeMember } from './change-members.ts'
import { findMember, listMembers } from './list-members.ts'

let service: TestService
const fixed = crypto.randomUUID()
beforeAll(async () => {
  vi.stubEnv('RAMPART_ADMINS', fixed)
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  await prisma().member.deleteMany()
})

const browser = newBrowser()
const reason = 'a test wants it'

/** The member has their own session. */
async function join(role: StaffRole, name = `A ${role}`) {
  const memberId = uuidv7()
  await prisma().member.create({ data: { id: memberId, name, role } })
  const who = { userUuid: null, memberId, method: 'passkey', serviceSessionId: null, role } as const
  const token = await inTransaction(pool(), (tx) => openSession(tx, who, browser, new Date()))
  const caller = await readSession(token, new Date())
  if (!caller) throw new Error('nobody is signed in')
  return { memberId, caller, token }
}

const roleOf = async (id: string) => (await prisma().member.findUniqueOrThrow({ where: { id } })).role

const stands = async ({ token }: { token: string }) => (await readSession(token, new Date())) !== null

describe('a role', () => {
  it('is changed with a reason; the member is signed out, and all admins are told', async () => {
    const [admin, sam] = [await join('admin', 'Kim'), await join('support', 'Sam')]
    await changeRole(admin.caller, { memberId: sam.memberId, role: 'auditor', reason }, browser)
    expect(await roleOf(sam.memberId)).toBe('auditor')
    expect([await stands(admin), await stands(sam)]).toEqual([true, false])
    expect(await auditAbout(sam.memberId)).toMatchObject([
      {
        action: 'member.role',
        actor: admin.memberId,
        reason,
        details: { before: 'support', after: 'auditor' },
      },
      { action: 'session.end', actor: admin.memberId, details: { why: 'role-lost' } },
    ])
    expect((await listAudit(admin.caller, { about: sam.memberId, action: 'member.' })).rows).toMatchObject([
      { details: [], changes: [{ name: 'role', before: 'support', after: 'auditor' }] },
    ])
    expect(await prisma().adminNotice.findFirst({ where: { about: sam.memberId } })).toMatchObject({
      kind: 'role-changed',
      actorName: 'Kim',
      facts: { member: 'Sam', before: 'Support', after: 'Auditor' },
    })
  })

  it('that somebody else has changed meanwhile stays', async () => {
    const [admin, sam] = [await join('admin', 'Kim'), await join('support', 'Sam')]
    const change = (role: 'support' | 'auditor' | 'compliance') =>
      changeRole(admin.caller, { memberId: sam.memberId, role, reason, seen: 'support' }, browser)
    await expect(change('support')).rejects.toThrow('Nothing to change.')
    await change('auditor')
    await expect(change('compliance')).rejects.toThrow('Somebody else has changed this meanwhile.')
    expect(await roleOf(sam.memberId)).toBe('auditor')
  })

  it('of the last admin stays', async () => {
    const admin = await join('admin')
    await join('support')
    const before = await prisma().audit.count()
    const change = changeRole(admin.caller, { memberId: admin.memberId, role: 'support', reason }, browser)
    await expect(change).rejects.toThrow('This is the last admin.')
    const removal = removeMember(admin.caller, { memberId: admin.memberId, reason }, browser)
    await expect(removal).rejects.toThrow('This is the last admin.')
    expect([await roleOf(admin.memberId), await stands(admin)]).toEqual(['admin', true])
    expect(await prisma().audit.count()).toBe(before)
  })

  it.each(['demote', 'remove'] as const)(
    'of two admins who %s each other at once, one stays',
    async (deed) => {
      for (let round = 0; round < 5; round++) {
        await prisma().member.deleteMany()
        const [one, two] = [await join('admin'), await join('admin')]
        const act = (by: Caller, memberId: string) =>
          deed === 'demote'
            ? changeRole(by, { memberId, role: 'support', reason }, browser)
            : removeMember(by, { memberId, reason }, browser)
        const both = await Promise.allSettled([act(one.caller, two.memberId), act(two.caller, one.memberId)])
        expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
        expect(await prisma().member.count({ where: { role: 'admin', removedAt: null } })).toBe(1)
      }
    },
  )

  it('of somebody whom RAMPART_ADMINS makes an admin is not changed here', async () => {
    const admin = await join('admin')
    const memberId = uuidv7()
    await prisma().member.create({ data: { id: memberId, userUuid: fixed, name: 'Olga', role: 'admin' } })
    const change = changeRole(admin.caller, { memberId, role: 'support', reason }, browser)
    await expect(change).rejects.toThrow('RAMPART_ADMINS makes this person an admin.')
    expect((await findMember(admin.caller, memberId))?.member).toMatchObject({ fixed: true, role: 'admin' })
  })
})

it('the API key that somebody typed in is left behind until another is in force', async () => {
  const [admin, leaver] = [await join('admin'), await join('admin')]
  const given = async () => (await listLeftBehind(admin.caller, leaver.memberId)).apiKeyGivenAt
  expect(await given()).toBeNull()
  await changeApiKey(leaver.caller, { apiKey: service.apiKey, reason }, browser)
  expect(await given()).toEqual(expect.any(String))
  expect((await listLeftBehind(admin.caller, admin.memberId)).apiKeyGivenAt).toBeNull()
  await removeMember(admin.caller, { memberId: leaver.memberId, reason }, browser)
  expect(await given()).toEqual(expect.any(String))
  // A key that no member typed in has no giver.
  expect(await findKeyGiver(pool(), 'a-key-of-next-year')).toBeNull()
  await changeApiKey(admin.caller, { apiKey: service.apiKey, reason }, browser)
  expect(await given()).toBeNull()
})

it('the share tokens that somebody had made are left behind, until their user is erased', async () => {
  const [admin, leaver] = [await join('admin'), await join('admin')]
  const left = async ({ memberId }: { memberId: string }) =>
    (await listLeftBehind(admin.caller, memberId)).shareTokens
  await changeSettings(admin.caller, { kycShareToken: true }, browser)
  const person = { email: 'ana@demo.test', firstName: 'Ana', lastName: 'Lima', country: 'ES' }
  const { userUuid } = await createUser(serviceClient(), person)
  await shareVerification(leaver.caller, { userUuid, reason }, browser)
  await shareVerification(leaver.caller, { userUuid, reason }, browser)
  await removeMember(admin.caller, { memberId: leaver.memberId, reason }, browser)
  const one = { userUuid, madeAt: expect.any(String) }
  expect(await left(leaver)).toMatchObject([one, one])
  expect(await left(admin)).toEqual([])
  await eraseUser(admin.caller, { userUuid, reason }, browser)
  await expect.poll(() => left(leaver)).toEqual([])
})

describe('removing somebody', () => {
  it('ends their sessions, replays, passkeys and the invitations that they gave out', async () => {
    const [admin, leaver] = [await join('admin'), await join('admin', 'Lee')]
    const { memberId } = leaver
    const data = {
      credentialId: crypto.randomUUID(),
      publicKey: new Uint8Array(1),
      counter: 0,
      backedUp: false,
    }
    await prisma().passkey.create({ data: { id: uuidv7(), memberId, name: 'Phone', ...data } })
    const replay = { id: uuidv7(), kind: 'fold', filter: {}, pace: 0, reason, total: 1, state: 'running' }
    await prisma().replay.create({ data: { ...replay, actor: memberId, sessionId: leaver.caller.sessionId } })
    await invite(leaver.caller, { name: 'Friend', email: undefined, role: 'admin', reason }, browser)
    expect(await listInvitations(admin.caller)).toHaveLength(1)
    await removeMember(admin.caller, { memberId, reason }, browser)
    expect(await stands(leaver)).toBe(false)
    expect(await prisma().passkey.count({ where: { memberId } })).toBe(0)
    expect((await prisma().replay.findUniqueOrThrow({ where: { id: replay.id } })).state).toBe('stopped')
    expect(await listInvitations(admin.caller)).toEqual([])
    expect((await findMember(admin.caller, memberId))?.member.removedAt).not.toBeNull()
    const again = removeMember(admin.caller, { memberId, reason }, browser)
    await expect(again).rejects.toThrow('This person is not in the team any more.')
  })

  it.each(['remove', 'demote'] as const)(
    'leaves no invitation behind, however late they give it out: %s',
    async (deed) => {
      const admin = await join('admin')
      const act = (memberId: string) =>
        deed === 'remove'
          ? removeMember(admin.caller, { memberId, reason }, browser)
          : changeRole(admin.caller, { memberId, role: 'support', reason }, browser)
      const inviteBy = ({ caller }: { caller: Caller }) =>
        invite(caller, { name: crypto.randomUUID(), email: undefined, role: 'admin', reason }, browser)
      for (let round = 0; round < 5; round++) {
        const leaver = await join('admin', 'Lee')
        await Promise.allSettled([inviteBy(leaver), act(leaver.memberId), inviteBy(leaver)])
        await expect(inviteBy(leaver)).rejects.toThrow(SignInAgain)
        expect(await listInvitations(admin.caller)).toEqual([])
      }
    },
  )

  it('lists the endpoints that they made and the secrets that they know, until these are rotated or gone', async () => {
    const [admin, leaver] = [await join('admin'), await join('admin', 'Lee')]
    const elsewhere = async (by: Caller) => {
      const url = `https://merchant.example/${crypto.randomUUID()}`
      const form = { to: 'elsewhere', url, description: 'Ledger', subscribedEvents: null, reason } as const
      return (await createEndpoint(by, form, browser)).endpointUuid
    }
    const { receiverId } = newReceiverAddress()
    const here = { to: 'here', receiverId, description: 'Here', subscribedEvents: null, reason } as const
    const { endpointUuid: own } = await createEndpoint(leaver.caller, here, browser)
    const made = await elsewhere(leaver.caller)
    const deleted = await elsewhere(leaver.caller)
    const seen = await elsewhere(admin.caller)
    await rotateSecret(leaver.caller, { endpointUuid: seen, reason }, browser)
    await deleteEndpoint(admin.caller, { endpointUuid: deleted, reason }, browser)
    await removeMember(admin.caller, { memberId: leaver.memberId, reason }, browser)
    const left = async () => {
      const { endpoints } = await listLeftBehind(admin.caller, leaver.memberId)
      return new Map(
        endpoints.map(({ endpointUuid, madeAt, sawSecretAt }) => [
          endpointUuid,
          [madeAt !== null, sawSecretAt !== null],
        ]),
      )
    }
    expect(await left()).toEqual(
      new Map([
        [made, [true, true]],
        [seen, [false, true]],
        [own, [true, false]],
      ]),
    )
    for (const endpointUuid of [made, seen])
      await rotateSecret(admin.caller, { endpointUuid, reason }, browser)
    expect(await left()).toEqual(
      new Map([
        [made, [true, false]],
        [own, [true, false]],
      ]),
    )
    service.answerWith(503, (route) => route.startsWith('GET /merchant/webhook-endpoints'), 5)
    expect(await listLeftBehind(admin.caller, leaver.memberId)).toMatchObject({
      serviceUnavailable: true,
      endpoints: [{ endpoint: null }, { endpoint: null }],
    })
  })
})

it('an admin ends one session of a member, or all', async () => {
  const [admin, sam] = [await join('admin'), await join('support')]
  const { memberId } = sam
  const found = await findMember(admin.caller, memberId)
  expect(found?.sessions).toHaveLength(1)
  const { sessionId } = sam.caller
  await endMemberSessions(admin.caller, { memberId, sessionId, reason }, browser)
  expect(await stands(sam)).toBe(false)
  const nothing = endMemberSessions(admin.caller, { memberId, sessionId: undefined, reason }, browser)
  await expect(nothing).rejects.toThrow('There is no such session any more.')
})

it('the team is listed by name with what each signs in by, and after them who was removed', async () => {
  const admin = await join('admin', 'Kim')
  const gone = await join('support', 'Ann')
  await join('support', 'Sam')
  await removeMember(admin.caller, { memberId: gone.memberId, reason }, browser)
  expect(await listMembers(admin.caller)).toMatchObject([
    { name: 'Kim', you: true, role: 'admin', sessions: 1, passkeys: 0, account: false },
    { name: 'Sam', you: false, role: 'support', removedAt: null },
    { name: 'Ann', removedAt: expect.any(String), sessions: 0 },
  ])
})

describe('the team is managed', () => {
  const deeds: Record<string, (caller: Caller, memberId: string) => Promise<unknown>> = {
    'changing a role': (caller, memberId) =>
      changeRole(caller, { memberId, role: 'auditor', reason }, browser),
    'removing somebody': (caller, memberId) => removeMember(caller, { memberId, reason }, browser),
    'ending sessions': (caller, memberId) =>
      endMemberSessions(caller, { memberId, sessionId: undefined, reason }, browser),
    listing: (caller) => listMembers(caller),
    'reading one': (caller, memberId) => findMember(caller, memberId),
    'listing what is left behind': (caller, memberId) => listLeftBehind(caller, memberId),
  }
  it.each(Object.entries(deeds))('by admins alone: %s', async (_name, deed) => {
    const sam = await join('support')
    for (const role of ['end-user', 'support', 'compliance', 'auditor'] as const)
      await expect((async () => deed(callerWith(role), sam.memberId))()).rejects.toThrow(NotAllowed)
    expect([await roleOf(sam.memberId), await stands(sam)]).toEqual(['support', true])
  })

  it.each(['changing a role', 'removing somebody'])('with a fresh sign-in alone: %s', async (name) => {
    const [admin, sam] = [await join('admin'), await join('support')]
    const signedInAt = new Date(Date.now() - 15 * 60_000 - 1).toISOString()
    const stale = deeds[name]?.({ ...admin.caller, signedInAt }, sam.memberId)
    await expect(stale).rejects.toThrow(SignInAgain)
    expect([await roleOf(sam.memberId), await stands(sam)]).toEqual(['support', true])
  })

  it('by nobody who has stopped being an admin a moment ago', async () => {
    const [admin, other, sam] = [await join('admin'), await join('admin'), await join('support')]
    await changeRole(admin.caller, { memberId: other.memberId, role: 'support', reason }, browser)
    const late = removeMember(other.caller, { memberId: sam.memberId, reason }, browser)
    await expect(late).rejects.toThrow(NotAllowed)
    expect(await stands(sam)).toBe(true)
  })
})
