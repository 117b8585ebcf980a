import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { InvalidInput, NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { captureLog } from '../../../test/log.ts'
import { startMailServer } from '../../../test/mail-server.ts'
import { readSession, readSetUpSession } from '../sessions/read-session.ts'
import { createSignInLink } from './access-links.ts'
import { type InviteSchema, invite, listInvitations, withdrawInvitation } from './invitations.ts'
import { finishSetUp } from './join-team.ts'
import { openLink, readSetUp } from './set-up.ts'

let database: TestConfiguration
let mails: Awaited<ReturnType<typeof startMailServer>>
beforeAll(async () => {
  mails = await startMailServer()
  database = await startDatabase({
    PUBLIC_URL: 'https://dash.example.com',
    SMTP_URL: mails.url,
    MAIL_FROM: 'Rampart <rampart@example.com>',
  })
})
afterAll(async () => {
  await database.stop()
  await mails.stop()
})
beforeEach(() => pool().query('TRUNCATE member, person, access_link, session, audit, mail'))

const admin = callerWith('admin', { name: 'Kim' })
const kai: InviteForm = { name: 'Kai', email: undefined, role: 'support', reason: 'a new colleague' }
type InviteForm = z.output<typeof InviteSchema>
const asked = (form: Partial<InviteForm> = {}, caller = admin) =>
  invite(caller, { ...kai, ...form }, newBrowser())
const tokenOf = (link: string | null) => new URL(link ?? 'http://none').hash.slice(1)

/** The caller has opened this link. */
async function settingUp(token: string) {
  const session = await openLink({ token }, newBrowser())
  const caller = await readSetUpSession(session.token, new Date())
  if (!caller) throw new Error('nobody is setting up')
  return caller
}

const finish = async (caller: Caller) =>
  (await inTransaction(pool(), (tx) => finishSetUp(tx, caller, 'sso', newBrowser()))).token

const joined = async (token: string) => readSession(await finish(await settingUp(token)), new Date())

it('lets one person in, with the role and under the name that the admin gave', async () => {
  const { link, mail } = await asked()
  expect(mail).toBeNull()
  expect(await listInvitations(admin)).toMatchObject([{ name: 'Kai', role: 'support', state: 'sent' }])
  const member = await joined(tokenOf(link))
  expect(member).toMatchObject({ name: 'Kai', role: 'support', method: 'sso' })
  expect(await listInvitations(admin)).toEqual([])
  await expect(openLink({ token: tokenOf(link) }, newBrowser())).rejects.toThrow(Refused)
  const invited = `SELECT actor, ${auditReason}, details->>'role' AS role FROM audit WHERE action = 'member.invite'`
  expect((await pool().query(invited)).rows).toEqual([
    { actor: admin.id, reason: 'a new colleague', role: 'support' },
  ])
})

it('is used by one of two that finish it at once, and by nobody afterwards', async () => {
  const caller = await settingUp(tokenOf((await asked()).link))
  const both = await Promise.allSettled([finish(caller), finish(caller)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(finish(caller)).rejects.toThrow(Refused)
  expect(await prisma().session.count({ where: { method: 'sso' } })).toBe(1)
  expect(await prisma().audit.count({ where: { action: 'member.join' } })).toBe(1)
})

it('is not used a second time by way of a sign-in link that its member is given later', async () => {
  const caller = await settingUp(tokenOf((await asked()).link))
  await finish(caller)
  await createSignInLink(pool(), env().publicUrl, 'Kai')
  await expect(finish(caller)).rejects.toThrow(Refused)
  expect(await prisma().accessLink.findFirst({ where: { kind: 'sign-in' } })).toMatchObject({ usedAt: null })
  expect(await prisma().session.count({ where: { method: 'sso' } })).toBe(1)
})

it('once used, leaves no session of its link in which somebody could work as the new member', async () => {
  const { token } = await openLink({ token: tokenOf((await asked()).link) }, newBrowser())
  const caller = await readSetUpSession(token, new Date())
  if (!caller) throw new Error('nobody is setting up')
  await finish(caller)
  expect(await readSession(token, new Date())).toBeNull()
})

it('is mailed where an address is given, and then not shown', async () => {
  const { link, mail } = await asked({ email: 'kai@example.com' })
  expect({ link, mail }).toMatchObject({ link: null, mail: { to: 'kai@example.com', state: 'sent' } })
  const [received] = mails.received.splice(0)
  expect(received).toMatchObject({ to: ['kai@example.com'] })
  const token = /https:\/\/dash\.example\.com\/set-up#([\w-]{43})/.exec(received?.text ?? '')?.[1] ?? ''
  expect(await joined(token)).toMatchObject({ name: 'Kai', email: 'kai@example.com' })
})

it('is shown when the mail server does not take the mail, and the log says why without the link', async () => {
  const logged = captureLog()
  const { link, mail } = await asked({ email: 'nobody@example.com' })
  logged.stop()
  expect(mail).toMatchObject({ state: 'failed', answer: expect.stringContaining('550') })
  expect(await listInvitations(admin)).toMatchObject([{ mail: 'failed' }])
  expect(logged.lines).toMatchObject([{ level: 'warn', component: 'mail' }])
  expect(logged.text()).not.toContain(tokenOf(link))
  expect(await joined(tokenOf(link))).toMatchObject({ name: 'Kai' })
})

it.each([
  [{}, { name: 'KAI' }],
  [{ email: 'kai@example.com' }, { name: 'Somebody', email: 'Kai@Example.com' }],
])('is made once when two admins invite the same person at the same time: %j, %j', async (one, other) => {
  const lee = callerWith('admin', { name: 'Lee' })
  const both = await Promise.allSettled([asked(one), asked(other, lee)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = both.find(({ status }) => status === 'rejected')
  expect(refused).toMatchObject({ reason: { message: expect.stringMatching(/has been invited already/) } })
  expect(await listInvitations(admin)).toHaveLength(1)
  mails.received.splice(0)
})

it('can be made anew once it has expired', async () => {
  const { link } = await asked()
  await pool().query(`UPDATE access_link SET expires_at = now() - interval '1 s'`)
  expect(await listInvitations(admin)).toMatchObject([{ state: 'expired' }])
  await expect(openLink({ token: tokenOf(link) }, newBrowser())).rejects.toMatchObject({
    message: 'This link has expired.',
  })
  const again = await asked()
  expect(await joined(tokenOf(again.link))).toMatchObject({ name: 'Kai' })
  await expect(openLink({ token: tokenOf(link) }, newBrowser())).rejects.toThrow(Refused)
})

it('sends no mail any more once it was withdrawn, or used by its link', async () => {
  const later = { email: 'later@example.com' }
  const { link, mail } = await asked(later)
  expect(mail).toMatchObject({ state: 'waiting' })
  expect(await listInvitations(admin)).toMatchObject([{ mail: 'waiting' }])
  await joined(tokenOf(link))
  expect(await prisma().mail.count()).toBe(0)
  await prisma().member.deleteMany()
  await asked(later)
  const [listed] = await listInvitations(admin)
  await withdrawInvitation(admin, { invitationId: listed?.id ?? '' }, newBrowser())
  expect(await prisma().mail.count()).toBe(0)
})

it('lasts for seven days', async () => {
  const { expiresAt } = await asked()
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(6.99 * 86_400_000)
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThan(7.01 * 86_400_000)
})

it('can be withdrawn, also from whoever is just setting up', async () => {
  const { link } = await asked()
  const session = await openLink({ token: tokenOf(link) }, newBrowser())
  const caller = await readSetUpSession(session.token, new Date())
  expect(caller && (await readSetUp(caller))).toMatchObject({
    name: 'Kai',
    role: 'support',
    asksForEmail: false,
  })
  const [listed] = await listInvitations(admin)
  expect(listed).toMatchObject({ state: 'opened' })
  const invitationId = listed?.id ?? ''
  await withdrawInvitation(admin, { invitationId }, newBrowser())
  expect(await readSetUpSession(session.token, new Date())).toBeNull()
  await expect(openLink({ token: tokenOf(link) }, newBrowser())).rejects.toMatchObject({
    message: 'This link was withdrawn.',
  })
  await expect(withdrawInvitation(admin, { invitationId }, newBrowser())).rejects.toThrow(Refused)
  expect(
    await prisma().audit.findMany({ where: { target: invitationId }, orderBy: { id: 'asc' } }),
  ).toMatchObject([
    { action: 'member.invite', outcome: 'done' },
    { action: 'link.open', outcome: 'done' },
    { action: 'invitation.withdraw', outcome: 'done' },
    { action: 'link.open', outcome: 'refused' },
    { action: 'invitation.withdraw', outcome: 'refused' },
  ])
})

it('takes nothing from a member who joined by it', async () => {
  const { link } = await asked()
  const [listed] = await listInvitations(admin)
  await joined(tokenOf(link))
  await expect(
    withdrawInvitation(admin, { invitationId: listed?.id ?? '' }, newBrowser()),
  ).rejects.toMatchObject({ message: 'This invitation is not open any more.' })
  expect(await prisma().member.count({ where: { joinedAt: { not: null } } })).toBe(1)
})

it('is refused for the address of a member', async () => {
  const userUuid = crypto.randomUUID()
  await prisma().person.create({ data: { userUuid, email: 'Lee@demo.test', source: 'test' } })
  await prisma().member.create({ data: { id: crypto.randomUUID(), userUuid, name: 'Lee', role: 'support' } })
  await expect(asked({ email: 'lee@demo.test' })).rejects.toThrow(InvalidInput)
  await prisma().member.updateMany({ data: { removedAt: new Date() } })
  await expect(asked({ email: 'lee@demo.test' })).resolves.toMatchObject({ name: 'Kai' })
  mails.received.splice(0)
})

const spellings = [
  ['ana@münchen.test', 'Ana@xn--mnchen-3ya.test'],
  ['ana@xn--mnchen-3ya.test', 'ana@mu\u0308nchen.test'],
] as const

it.each(spellings)('is refused for a member with the address %s, written %s', async (stored, written) => {
  const userUuid = crypto.randomUUID()
  const id = crypto.randomUUID()
  await prisma().member.create({ data: { id, name: 'Ana', role: 'support', email: stored } })
  await expect(asked({ email: written })).rejects.toThrow(InvalidInput)
  await prisma().person.create({ data: { userUuid, email: stored, source: 'test' } })
  await prisma().member.update({ where: { id }, data: { email: null, userUuid } })
  await expect(asked({ email: written })).rejects.toThrow(InvalidInput)
})

it.each(spellings)('is one for %s and %s', async (first, second) => {
  await asked({ email: first })
  await expect(asked({ email: second })).rejects.toThrow(Refused)
  mails.received.splice(0)
})

it('is one for a name, however its signs are typed', async () => {
  await asked({ name: 'O’Brien' })
  await expect(asked({ name: "O'Brien" })).rejects.toThrow(Refused)
})

it.each(['end-user', 'support', 'compliance', 'auditor'] as const)(
  'is not for %s to make, see or take back',
  async (role) => {
    const caller = callerWith(role)
    await expect(asked({}, caller)).rejects.toThrow(NotAllowed)
    await expect(listInvitations(caller)).rejects.toThrow(NotAllowed)
    const withdrawing = withdrawInvitation(caller, { invitationId: crypto.randomUUID() }, newBrowser())
    await expect(withdrawing).rejects.toThrow(NotAllowed)
  },
)

it('wants a fresh sign-in, so that an old session lets nobody in', async () => {
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(asked({}, stale)).rejects.toThrow(SignInAgain)
  expect(await prisma().accessLink.count()).toBe(0)
})
