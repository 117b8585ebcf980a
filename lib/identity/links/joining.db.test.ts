import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { openAuthenticator } from '../../../test/authenticator.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { countWaiting } from '../../../test/postgres.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import { RegistrationAnswerSchema, SignatureAnswerSchema } from '../passkeys/passkey-challenges.ts'
import { beginPasskeySignIn, signInWithPasskey } from '../passkeys/verify-passkey.ts'
import { openSession } from '../sessions/open-session.ts'
import { readSession, readSetUpSession } from '../sessions/read-session.ts'
import { createSetUpLink, createSignInLink } from './access-links.ts'
import { invite } from './invitations.ts'
import { joinAsUser } from './join-team.ts'
import { beginSetUpPasskey, openLink, setUpPasskey } from './set-up.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(() => pool().query('TRUNCATE member, person, access_link, session, passkey, admin_notice'))

const admin = callerWith('admin')
const tokenOf = (link: string | null) => new URL(link ?? 'http://none').hash.slice(1)

async function settingUp(link: string | null, browser = newBrowser()) {
  const { token } = await openLink({ token: tokenOf(link) }, browser)
  const caller = await readSetUpSession(token, new Date())
  if (!caller) throw new Error('nobody is setting up')
  return caller
}

const invitation = async () =>
  (await invite(admin, { name: 'Kai', email: undefined, role: 'support', reason: 'a test' }, newBrowser()))
    .link

describe('by a passkey', () => {
  it('the first admin joins, and signs in with it from then on', async () => {
    const browser = newBrowser()
    const caller = await settingUp(await createSetUpLink(pool(), env().publicUrl), browser)
    const device = openAuthenticator()
    const { challenge } = await beginSetUpPasskey(caller, { name: 'Kim' }, browser)
    const answer = RegistrationAnswerSchema.parse(device.register(challenge))
    const token = await setUpPasskey(caller, { answer, passkeyName: 'Work laptop' }, browser)
    const joined = await readSession(token, new Date())
    expect(joined).toMatchObject({ name: 'Kim', role: 'admin', method: 'passkey' })
    const entries = await prisma().audit.findMany({
      where: { actor: joined?.id ?? '' },
      orderBy: { id: 'asc' },
    })
    expect(entries.map(({ action, actorRole }) => [action, actorRole])).toEqual([
      ['member.join', 'admin'],
      ['session.start', 'admin'],
      ['passkey.add', 'admin'],
    ])
    const asked = await beginPasskeySignIn(browser)
    const signed = SignatureAnswerSchema.parse(device.sign(asked.challenge))
    const outcome = await signInWithPasskey({ answer: signed }, browser)
    if (outcome.kind !== 'signed-in') throw new Error(outcome.why)
    expect(await readSession(outcome.token, new Date())).toMatchObject({ memberId: joined?.memberId })
  })

  it.each(['used', 'withdrawn'])(
    'nobody joins when the link was %s meanwhile, and the passkey is not kept',
    async (what) => {
      const browser = newBrowser()
      const caller = await settingUp(await invitation(), browser)
      const { challenge } = await beginSetUpPasskey(caller, { name: 'Kai' }, browser)
      await pool().query(`UPDATE access_link SET ${what}_at = now()`)
      const answer = RegistrationAnswerSchema.parse(openAuthenticator().register(challenge))
      await expect(setUpPasskey(caller, { answer, passkeyName: 'x' }, browser)).rejects.toThrow(Refused)
      expect(await prisma().passkey.count()).toBe(0)
    },
  )

  it('a device that does not check who it is uses the link up for nobody', async () => {
    const link = await createSetUpLink(pool(), env().publicUrl)
    const [browser, other] = [newBrowser(), newBrowser()]
    const caller = await settingUp(link, browser)
    const { challenge } = await beginSetUpPasskey(caller, { name: 'Kim' }, browser)
    const answer = RegistrationAnswerSchema.parse(
      openAuthenticator().register(challenge, { verified: false }),
    )
    await expect(setUpPasskey(caller, { answer, passkeyName: 'Old key' }, browser)).rejects.toThrow(
      signInMessages['passkey-unverified'].title,
    )
    const again = await settingUp(link, other)
    const begun = await beginSetUpPasskey(again, { name: 'Kim' }, other)
    const good = RegistrationAnswerSchema.parse(openAuthenticator().register(begun.challenge))
    const token = await setUpPasskey(again, { answer: good, passkeyName: 'Phone' }, other)
    expect(await readSession(token, new Date())).toMatchObject({ role: 'admin', method: 'passkey' })
  })

  it('nobody joins by a passkey that was begun for another member', async () => {
    const [mine, theirs] = [newBrowser(), newBrowser()]
    const caller = await settingUp(await invitation(), mine)
    const other = await settingUp(
      (await invite(admin, { name: 'Lee', email: undefined, role: 'admin', reason: 'a test' }, theirs)).link,
      theirs,
    )
    const { challenge } = await beginSetUpPasskey(caller, { name: 'Kai' }, mine)
    const answer = RegistrationAnswerSchema.parse(openAuthenticator().register(challenge))
    await expect(setUpPasskey(other, { answer, passkeyName: 'x' }, mine)).rejects.toThrow(Refused)
    expect(await prisma().passkey.count()).toBe(0)
  })
})

describe('as a user of the service', () => {
  /** The person has just signed in with a code. */
  async function signedIn(given: { firstName?: string; email?: string } = {}) {
    const userUuid = crypto.randomUUID()
    await prisma().person.create({ data: { userUuid, source: 'sign-in', ...given } })
    const token = await inTransaction(pool(), (tx) =>
      openSession(
        tx,
        { userUuid, memberId: null, method: 'code', serviceSessionId: 's', role: 'end-user' },
        newBrowser(),
        new Date(),
      ),
    )
    return { userUuid, token }
  }

  it('whoever opened an invitation is a member at once, and at the next sign-in', async () => {
    const caller = await settingUp(await invitation())
    const { userUuid, token } = await signedIn()
    await joinAsUser(caller, token, newBrowser())
    expect(await readSession(token, new Date())).toMatchObject({
      role: 'support',
      memberId: caller.memberId,
      userUuid,
      name: 'Kai',
    })
    expect(await prisma().accessLink.findFirst()).toMatchObject({ usedAt: expect.any(Date) })
  })

  it('the first admin is called what the service calls them', async () => {
    const caller = await settingUp(await createSetUpLink(pool(), env().publicUrl))
    const { token } = await signedIn({ firstName: 'Ana', email: 'ana@demo.test' })
    await joinAsUser(caller, token, newBrowser())
    expect(await readSession(token, new Date())).toMatchObject({ role: 'admin', name: 'Ana' })
  })

  it('a member stays what they are, and leaves the link to whom it was meant for', async () => {
    const caller = await settingUp(await invitation())
    const { userUuid, token } = await signedIn()
    await prisma().member.create({
      data: { id: crypto.randomUUID(), userUuid, name: 'Lee', role: 'auditor' },
    })
    await pool().query(
      'UPDATE session SET member_id = (SELECT id FROM member WHERE user_uuid = $1) WHERE user_uuid = $1',
      [userUuid],
    )
    await joinAsUser(caller, token, newBrowser())
    expect(await readSession(token, new Date())).toMatchObject({ name: 'Lee' })
    expect(await prisma().accessLink.findFirst()).toMatchObject({ usedAt: null })
  })

  it('a removed member who joins again is another member, and the first one keeps who they were', async () => {
    const { userUuid, token } = await signedIn()
    const { id } = await prisma().member.create({
      data: { id: crypto.randomUUID(), userUuid, name: 'Kai before', role: 'admin', removedAt: new Date() },
    })
    const caller = await settingUp(await invitation())
    await joinAsUser(caller, token, newBrowser())
    expect(await readSession(token, new Date())).toMatchObject({ memberId: caller.memberId, role: 'support' })
    const first = await prisma().member.findUnique({ where: { id } })
    expect(first).toMatchObject({ userUuid: null, formerUserUuid: userUuid, name: 'Kai before' })
  })

  it('nobody joins by a link that was withdrawn, and stays signed in as the user', async () => {
    const caller = await settingUp(await invitation())
    await pool().query('UPDATE access_link SET withdrawn_at = now()')
    const { token } = await signedIn()
    await joinAsUser(caller, token, newBrowser())
    expect(await readSession(token, new Date())).toMatchObject({ role: 'end-user', memberId: null })
  })
})

describe('a sign-in link', () => {
  const member = (given: Partial<{ name: string; email: string; userUuid: string; role: string }> = {}) =>
    prisma().member.create({ data: { id: crypto.randomUUID(), name: 'Kim', role: 'admin', ...given } })
  const made = async (who: string) => {
    const link = await createSignInLink(pool(), env().publicUrl, who)
    if (link.kind !== 'made') throw new Error(link.kind)
    return link
  }

  it('signs its member in with their role, once, and every admin is told', async () => {
    const { id } = await member()
    const { link } = await made('kim')
    const { token, next } = await openLink({ token: tokenOf(link) }, newBrowser())
    expect(next).toBe('/')
    expect(await readSession(token, new Date())).toMatchObject({
      memberId: id,
      role: 'admin',
      method: 'link',
    })
    await expect(openLink({ token: tokenOf(link) }, newBrowser())).rejects.toMatchObject({
      message: 'This link was used before.',
    })
    expect(await prisma().adminNotice.findMany()).toMatchObject([
      { kind: 'sign-in-link', about: id, facts: { member: 'Kim', role: 'Admin' } },
    ])
    const done = await prisma().audit.findMany({ where: { OR: [{ actor: 'command line' }, { actor: id }] } })
    expect(done.map(({ action }) => action)).toEqual(expect.arrayContaining(['link.create', 'session.start']))
  })

  it.each([
    ['by name, in any case', 'KIM', { name: 'Kim' }],
    ['by e-mail address', 'Kim@Example.com', { email: 'kim@example.com' }],
    ['by a name with a typographic sign, as it is', 'O’Brien', { name: 'O’Brien' }],
    ['by a name with a typographic sign, as it is typed', "o'brien", { name: 'O’Brien' }],
    ['by a name in another Unicode form', 'José', { name: 'Jose\u0301' }],
    ['by the letters of an address', 'kim@münchen.test', { email: 'kim@xn--mnchen-3ya.test' }],
    ['by the code of an address', 'Kim@xn--mnchen-3ya.test', { email: 'kim@MÜNCHEN.test' }],
  ])('finds a member %s', async (_how, who, given) => {
    const { id } = await member(given)
    await member({ name: 'Lee' })
    await made(who)
    expect(await prisma().accessLink.findFirst()).toMatchObject({ memberId: id })
  })

  it('finds a member by id, by that of the account, and by its address', async () => {
    const userUuid = crypto.randomUUID()
    await prisma().person.create({ data: { userUuid, email: 'kim@demo.test', source: 'test' } })
    const { id } = await member({ userUuid })
    for (const who of [id, userUuid, 'kim@demo.test']) expect(await made(who)).toMatchObject({ name: 'Kim' })
  })

  it('is made for nobody who is not a member, was removed, or has not joined', async () => {
    const nobody = { kind: 'nobody' }
    expect(await createSignInLink(pool(), env().publicUrl, 'Kim')).toEqual(nobody)
    const { id } = await member()
    await prisma().member.update({ where: { id }, data: { removedAt: new Date() } })
    expect(await createSignInLink(pool(), env().publicUrl, 'Kim')).toEqual(nobody)
    await prisma().member.update({ where: { id }, data: { removedAt: null, joinedAt: null } })
    expect(await createSignInLink(pool(), env().publicUrl, 'Kim')).toEqual(nobody)
    expect(await prisma().adminNotice.count()).toBe(0)
  })

  it('is made for one of several of a name by id alone', async () => {
    const [one] = [await member(), await member()]
    expect(await createSignInLink(pool(), env().publicUrl, 'Kim')).toMatchObject({ kind: 'several' })
    await made(one?.id ?? '')
    expect(await prisma().accessLink.count()).toBe(1)
  })

  it('ends with a newer one, with its time, and with its member', async () => {
    const { id } = await member()
    const first = await made('Kim')
    const second = await made('Kim')
    await expect(openLink({ token: tokenOf(first.link) }, newBrowser())).rejects.toThrow('withdrawn')
    await prisma().member.update({ where: { id }, data: { removedAt: new Date() } })
    await expect(openLink({ token: tokenOf(second.link) }, newBrowser())).rejects.toThrow('withdrawn')
    await prisma().member.update({ where: { id }, data: { removedAt: null } })
    await pool().query(`UPDATE access_link SET expires_at = now() - interval '1 s'`)
    await expect(openLink({ token: tokenOf(second.link) }, newBrowser())).rejects.toThrow('expired')
  })

  it('signs one of two browsers in that open it at the same time', async () => {
    await member()
    const { link } = await made('Kim')
    const holding = await pool().connect()
    await holding.query('BEGIN')
    await holding.query('SELECT FROM access_link FOR UPDATE')
    const opening = [1, 2].map(() => openLink({ token: tokenOf(link) }, newBrowser()))
    // Both have come as far as they can.
    await expect.poll(() => countWaiting(pool())).toBe(2)
    await holding.query('COMMIT')
    holding.release()
    const both = await Promise.allSettled(opening)
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await prisma().session.count()).toBe(1)
  })
})
