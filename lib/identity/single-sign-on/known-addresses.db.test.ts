import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import type { Account } from '../../../test/identity-provider.ts'
import { callerOf, startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { createSignInLink } from '../links/access-links.ts'
import { invite, listInvitations } from '../links/invitations.ts'
import { finishSetUp } from '../links/join-team.ts'
import { openLink } from '../links/set-up.ts'
import { readSetUpSession } from '../sessions/read-session.ts'
import { moveIssuer } from './find-by-address.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'

let sso: TestSingleSignOn
beforeAll(async () => {
  sso = await startSingleSignOn()
})
afterAll(() => sso.stop())
beforeEach(() => sso.startOver())

const reason = 'a test wants it'

describe('somebody whose address a member has', () => {
  const email = 'kai@example.com'
  const comes = (given: Partial<Account>) =>
    sso.comes({ sub: crypto.randomUUID(), name: 'Kai', email, groups: ['helpdesk'], ...given })
  const invited = async (to = email) => {
    const form = { name: 'Kai', email: to, role: 'auditor', reason } as const
    const { link } = await invite(callerWith('admin'), form, newBrowser())
    return new URL(link ?? 'http://none').hash.slice(1)
  }
  /** The member has a passkey, and joined by an invitation to the address. */
  const joined = async (to = email) => {
    const { token } = await openLink({ token: await invited(to) }, newBrowser())
    const caller = await readSetUpSession(token, new Date())
    if (!caller) throw new Error('nobody is setting up')
    await inTransaction(pool(), (tx) => finishSetUp(tx, caller, 'passkey', newBrowser()))
    return caller.memberId
  }

  it('is that member where the provider has verified it and they were invited by it; all admins are told', async () => {
    const memberId = await joined()
    const first = await comes({ email: 'Kai@Example.com', email_verified: true, sub: 'kai' })
    expect(await callerOf(first)).toMatchObject({ memberId, role: 'support', method: 'sso' })
    expect(await callerOf(await comes({ sub: 'kai', email: 'other@example.com' }))).toMatchObject({
      memberId,
    })
    expect(await prisma().member.count()).toBe(1)
    const reported = await prisma().adminNotice.findMany({ where: { about: memberId ?? '' } })
    expect(reported.map(({ kind }) => kind).toSorted()).toEqual(['identity-linked', 'role-changed'])
    expect(await prisma().audit.findFirst({ where: { action: 'member.link-identity' } })).toMatchObject({
      target: memberId,
      details: { issuer: sso.provider.issuer },
    })
  })

  it.each([
    ['has not verified it', {}],
    ['says that it has not', { email_verified: false }],
    ['says it in a text', { email_verified: 'true' }],
  ])('is nobody where the provider %s, and is told so', async (_what, given) => {
    await joined()
    expect(await comes(given)).toMatchObject({ kind: 'refused', why: 'sso-known-address' })
    expect(await prisma().member.findMany()).toMatchObject([{ role: 'auditor', ssoSubject: null }])
  })

  it.each([
    ['kai@münchen.test', 'Kai@xn--mnchen-3ya.test'],
    ['kai@xn--mnchen-3ya.test', 'kai@münchen.test'],
  ])('is that member, invited as %s, where the provider writes it %s', async (written, claimed) => {
    const memberId = await joined(written)
    expect(await comes({ email: claimed })).toMatchObject({ why: 'sso-known-address' })
    const sub = crypto.randomUUID()
    expect(await callerOf(await comes({ email: claimed, email_verified: true, sub }))).toMatchObject({
      memberId,
    })
    // Somebody who is a member already needs no invitation any more, however it was addressed.
    await prisma().member.updateMany({ data: { removedAt: new Date() } })
    await invited(written)
    await comes({ email: claimed, email_verified: true })
    expect(await listInvitations(callerWith('admin'))).toEqual([])
  })

  it('is nobody where the member was not invited by it', async () => {
    await prisma().member.create({ data: { id: crypto.randomUUID(), name: 'Kai', email, role: 'admin' } })
    expect(await comes({ email_verified: true })).toMatchObject({ why: 'sso-known-address' })
    expect(await prisma().member.count()).toBe(1)
  })

  it('is nobody where the member signs in there as somebody else', async () => {
    await joined()
    await comes({ email_verified: true, sub: 'the first' })
    expect(await comes({ email_verified: true, sub: 'another' })).toMatchObject({ why: 'sso-known-address' })
    expect(await prisma().member.count()).toBe(1)
  })

  it('is new where that member was removed', async () => {
    await joined()
    await prisma().member.updateMany({ data: { removedAt: new Date() } })
    expect(await comes({})).toMatchObject({ kind: 'signed-in' })
  })

  it('is one member, though they come for the first time in three tabs at once', async () => {
    for (let round = 1; round <= 5; round++) {
      sso.provider.state.account = { sub: `kai ${round}`, name: 'Kai', groups: ['helpdesk'] }
      const answers = [await sso.visited(), await sso.visited(), await sso.visited()]
      const all = await Promise.all(
        answers.map(({ search, browser }) => finishSingleSignOn(search, null, browser)),
      )
      expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['signed-in']))
      expect(await prisma().member.count()).toBe(round)
    }
  })

  it.each([
    [true, 0],
    [false, 1],
  ])(
    'and who has not opened their invitation needs it no more, when the address is verified: %s',
    async (verified, left) => {
      const token = await invited()
      expect(await comes({ email_verified: verified })).toMatchObject({ kind: 'signed-in' })
      expect(await listInvitations(callerWith('admin'))).toHaveLength(left)
      if (left === 0) await expect(openLink({ token }, newBrowser())).rejects.toThrow('withdrawn')
    },
  )
})

describe('an address that the provider has not verified', () => {
  const email = 'kai@example.com'
  const mallory = { sub: 'mallory', name: 'Mallory', email, groups: ['helpdesk'] }

  it.each([{}, { email_verified: false }, { email_verified: 'true' }])(
    'is shown, and nobody is found or kept out by it: %j',
    async (verified) => {
      expect(await callerOf(await sso.comes({ ...mallory, ...verified }))).toMatchObject({ email })
      const link = await createSignInLink(pool(), new URL('http://localhost'), email)
      expect(link).toEqual({ kind: 'nobody' })
      const form = { name: 'Kai', email, role: 'auditor', reason } as const
      expect(await invite(callerWith('admin'), form, newBrowser())).toMatchObject({ name: 'Kai' })
      const kai = await sso.comes({ ...mallory, sub: 'kai', name: 'Kai', email_verified: true })
      expect(await callerOf(kai)).toMatchObject({ name: 'Kai', email })
      // A later sign-in neither undoes this nor is refused.
      expect(await callerOf(await sso.comes({ ...mallory, ...verified }))).toMatchObject({ name: 'Mallory' })
      expect(await prisma().member.count()).toBe(2)
    },
  )

  it('takes the place of none that was verified, and goes when another is', async () => {
    const row = () => prisma().member.findFirst({ select: { email: true, ssoEmail: true } })
    await sso.comes({ ...mallory, email_verified: true })
    await sso.comes({ ...mallory, email: 'other@example.com' })
    expect(await row()).toEqual({ email, ssoEmail: 'other@example.com' })
    await sso.comes({ ...mallory, email: 'new@example.com', email_verified: true })
    expect(await row()).toEqual({ email: 'new@example.com', ssoEmail: null })
  })
})

describe('a provider that has moved', () => {
  const ann = { sub: 'ann', name: 'Ann', email: 'ann@münchen.test', groups: ['rampart-admins'] }
  const old = 'https://old.example'

  it.each([
    ['subject', ann],
    ['verified address', { ...ann, sub: 'another', email_verified: true }],
    [
      'verified address in another spelling',
      { ...ann, sub: 'another', email: 'Ann@xn--mnchen-3ya.test', email_verified: true },
    ],
  ])('is told to whoever has the %s of a member; it takes them along by command', async (_what, account) => {
    await sso.comes({ ...ann, email_verified: true })
    await pool().query('UPDATE member SET sso_issuer = $1', [old])
    expect(await sso.comes(account)).toMatchObject({ kind: 'refused', why: 'sso-issuer-moved' })
    expect(await prisma().member.count()).toBe(1)
    const move = { from: old, to: sso.provider.issuer, reason }
    expect(await moveIssuer(pool(), move)).toEqual({ moved: 1, stay: [] })
    expect(await callerOf(await sso.comes(ann))).toMatchObject({ name: 'Ann', role: 'admin' })
    expect(await prisma().member.count()).toBe(1)
  })

  it('keeps nobody out for a member who was removed', async () => {
    await sso.comes(ann)
    await pool().query('UPDATE member SET sso_issuer = $1, removed_at = now()', [old])
    expect(await sso.comes(ann)).toMatchObject({ kind: 'signed-in' })
  })
})
