import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Role } from '#lib/access/rules/roles.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { openAuthenticator } from '../../../test/authenticator.ts'
import { newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { addOwnPasskey, beginOwnPasskey } from '../passkeys/own-passkeys.ts'
import { RegistrationAnswerSchema } from '../passkeys/passkey-challenges.ts'
import type { SignInMethod } from '../rules/sign-in.ts'
import { openSession } from '../sessions/open-session.ts'
import { readSession } from '../sessions/read-session.ts'
import { findMembership, findRoleOutOfReach } from './membership.ts'

const fixedAdmin = crypto.randomUUID()
let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
  // The service is real, and the settings do not say how staff sign in.
  vi.stubEnv('STAFF_SIGN_IN', '')
  vi.stubEnv('RAMPART_ADMINS', fixedAdmin)
})
afterAll(() => database.stop())

async function member(role: Role = 'admin') {
  const userUuid = crypto.randomUUID()
  const { id: memberId } = await prisma().member.create({
    data: { id: crypto.randomUUID(), userUuid, name: 'Kim', role },
  })
  return { userUuid, memberId }
}

async function sessionOf(userUuid: string, method: SignInMethod) {
  const { memberId, role } = await findMembership({ userUuid, memberId: null, method })
  const token = await inTransaction(pool(), (tx) =>
    openSession(tx, { userUuid, memberId, method, serviceSessionId: 's', role }, newBrowser(), new Date()),
  )
  return readSession(token, new Date())
}

describe('with a real service', () => {
  it.each(['wallet', 'code'] as const)(
    'a %s alone gives no member a role, and says what would',
    async (method) => {
      const { userUuid } = await member()
      const caller = await sessionOf(userUuid, method)
      expect(caller).toMatchObject({ role: 'end-user', memberId: null, userUuid })
      expect(caller && (await findRoleOutOfReach(caller))).toBe('admin')
    },
  )

  it.each(['passkey', 'sso', 'link'] as const)('%s gives it', async (method) => {
    const { userUuid, memberId } = await member('support')
    const caller = await sessionOf(userUuid, method)
    expect(caller).toMatchObject({ role: 'support', memberId, userUuid })
    expect(caller && (await findRoleOutOfReach(caller))).toBeNull()
  })

  it('a mailbox is not enough to add a passkey, and be staff by that', async () => {
    const { userUuid } = await member()
    const caller = await sessionOf(userUuid, 'code')
    if (!caller) throw new Error('nobody is signed in')
    await expect(beginOwnPasskey(caller, {}, newBrowser())).rejects.toThrow(Refused)
    const answer = RegistrationAnswerSchema.parse(openAuthenticator().register('a challenge'))
    const adding = addOwnPasskey(caller, { answer, passkeyName: 'x' }, newBrowser())
    await expect(adding).rejects.toThrow('Passkeys are for the team.')
  })

  it('RAMPART_ADMINS is no way around it', async () => {
    expect(await sessionOf(fixedAdmin, 'code')).toMatchObject({ role: 'end-user' })
    expect(await sessionOf(fixedAdmin, 'passkey')).toMatchObject({ role: 'admin' })
  })

  it('a customer is told nothing of roles', async () => {
    const caller = await sessionOf(crypto.randomUUID(), 'code')
    expect(caller && (await findRoleOutOfReach(caller))).toBeNull()
  })

  it('a session of staff from before the rule ends', async () => {
    const { userUuid, memberId } = await member()
    const token = await inTransaction(pool(), (tx) =>
      openSession(
        tx,
        { userUuid, memberId, method: 'code', serviceSessionId: 's', role: 'admin' },
        newBrowser(),
        new Date(),
      ),
    )
    expect(await readSession(token, new Date())).toBeNull()
  })
})
