import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isFreshlySignedIn } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { captureLog } from '../../../test/log.ts'
import { callerOf, startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { createSetUpLink } from '../links/access-links.ts'
import { invite, listInvitations } from '../links/invitations.ts'
import { openLink } from '../links/set-up.ts'
import { changeRole } from '../members/change-members.ts'
import { readSetUpSession } from '../sessions/read-session.ts'
import { beginSingleSignOn } from './begin-single-sign-on.ts'
import { finishSingleSignOn, type SingleSignOnOutcome } from './finish-single-sign-on.ts'

const fixedAdmin = crypto.randomUUID()
let sso: TestSingleSignOn
beforeAll(async () => {
  sso = await startSingleSignOn({ RAMPART_ADMINS: fixedAdmin })
})
afterAll(() => sso.stop())
beforeEach(() => sso.startOver())

const reason = 'a test wants it'
/** The caller has opened this link, and sets up a way to sign in. */
async function opened(link: string | null) {
  const { token } = await openLink({ token: new URL(link ?? 'http://none').hash.slice(1) }, newBrowser())
  return readSetUpSession(token, new Date())
}
const roleOf = (group: string) => (group === 'helpdesk' ? 'support' : 'admin')

describe('a role by claim', () => {
  it('makes a member of whoever comes for the first time, and knows them the next time', async () => {
    const first = await callerOf(await sso.signedIn())
    expect(first).toMatchObject({
      role: 'support',
      name: 'Kim',
      email: 'kim@example.com',
      userUuid: null,
      method: 'sso',
    })
    const second = await callerOf(await sso.signedIn())
    expect(second?.memberId).toBe(first?.memberId)
    expect(await prisma().member.count()).toBe(1)
    const done = await prisma().audit.findMany({ where: { actor: first?.id ?? '' }, orderBy: { id: 'asc' } })
    expect(done.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'member.join done',
      'session.start done',
      'session.start done',
    ])
    // Only the first sign-in makes a member.
    expect(await prisma().adminNotice.findMany()).toMatchObject([
      { kind: 'member-joined', actorName: 'Single sign-on', facts: { member: 'Kim', role: 'Support' } },
    ])
  })

  it.each([
    ['support', 'rampart-admins', 'Support', 'Admin'],
    ['admin', 'helpdesk', 'Admin', 'Support'],
  ] as const)(
    'overrules the role %s of an invitation, and all admins are told',
    async (invited, group, before, after) => {
      const admin = await callerOf(await sso.comes({ sub: 'ann', name: 'ann', groups: ['rampart-admins'] }))
      if (!admin) throw new Error('nobody is signed in')
      const { link } = await invite(
        admin,
        { name: 'Kai', email: undefined, role: invited, reason },
        newBrowser(),
      )
      const settingUp = await opened(link)
      sso.provider.state.account = { sub: 'kai', name: 'kai', groups: [group] }
      const { search, browser } = await sso.visited()
      const joined = await callerOf(await finishSingleSignOn(search, settingUp, browser))
      expect(joined).toMatchObject({ name: 'Kai', role: roleOf(group) })
      expect(await prisma().adminNotice.findFirst({ where: { kind: 'role-changed' } })).toMatchObject({
        actorName: 'Single sign-on',
        about: joined?.memberId,
        facts: { member: 'Kai', before, after },
      })
    },
  )

  it('goes on where the person wanted to go', async () => {
    expect(await sso.signedIn({ next: '/transactions?step=FAILED' })).toMatchObject({
      next: '/transactions?step=FAILED',
    })
  })

  it('refuses whom it maps to nothing, and keeps nothing of them', async () => {
    sso.provider.state.account = { sub: 'x', groups: ['everybody'] }
    expect(await sso.signedIn()).toMatchObject({ kind: 'refused', why: 'sso-no-role' })
    expect(await prisma().member.count()).toBe(0)
    expect(await prisma().audit.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({
      action: 'session.start',
      outcome: 'refused',
      details: { method: 'sso', why: 'sso-no-role' },
    })
  })

  it('that changes ends the sessions of the role before', async () => {
    const before = await sso.signedIn()
    expect(await callerOf(before)).toMatchObject({ role: 'support' })
    Object.assign(sso.provider.state.account, { groups: ['rampart-admins'] })
    expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'admin' })
    expect(await callerOf(before)).toBeNull()
    expect(await prisma().audit.findFirst({ where: { action: 'member.role' } })).toMatchObject({
      actor: null,
      details: { by: 'single sign-on', before: 'support', after: 'admin' },
    })
  })

  it('that is lost takes back the invitations that were given out as an admin', async () => {
    await prisma().member.create({ data: { id: crypto.randomUUID(), name: 'Lee', role: 'admin' } })
    Object.assign(sso.provider.state.account, { groups: ['rampart-admins'] })
    const admin = await callerOf(await sso.signedIn())
    if (!admin) throw new Error('nobody is signed in')
    await invite(admin, { name: 'Friend', email: undefined, role: 'admin', reason }, newBrowser())
    Object.assign(sso.provider.state.account, { groups: ['helpdesk'] })
    expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support' })
    expect(await listInvitations(callerWith('admin'))).toEqual([])
  })

  it('that is taken away ends all sessions and lets nobody in, until it is given again', async () => {
    const before = await sso.signedIn()
    Object.assign(sso.provider.state.account, { groups: [] })
    expect(await sso.signedIn()).toMatchObject({ kind: 'refused', why: 'sso-no-role' })
    expect(await callerOf(before)).toBeNull()
    Object.assign(sso.provider.state.account, { groups: 'helpdesk' })
    expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support' })
    expect(await prisma().member.count()).toBe(1)
  })

  it('is not what counts for whom RAMPART_ADMINS makes an admin', async () => {
    const before = await callerOf(await sso.signedIn())
    await prisma().adminNotice.deleteMany()
    const fixed = { userUuid: fixedAdmin, role: 'admin' }
    await prisma().member.update({ where: { id: before?.memberId ?? '' }, data: fixed })
    for (const groups of [['helpdesk'], []]) {
      Object.assign(sso.provider.state.account, { groups })
      expect(await callerOf(await sso.signedIn())).toMatchObject({ ...fixed, memberId: before?.memberId })
    }
    expect(await prisma().adminNotice.count()).toBe(0)
  })

  it('brings nobody back whom an admin removed', async () => {
    await sso.signedIn()
    await prisma().member.updateMany({ data: { removedAt: new Date() } })
    expect(await sso.signedIn()).toMatchObject({ kind: 'refused', why: 'sso-removed' })
  })
})

describe('the last admin', () => {
  const comes = (sub: string, groups: readonly string[]) => sso.comes({ sub, name: sub, groups })
  const admins = () => prisma().member.findMany({ where: { role: 'admin' }, select: { name: true } })

  it.each([
    ['another role', ['helpdesk'], 'Support'],
    ['none', []],
  ])(
    'stays one when the provider gives them %s: nobody is signed in, and all admins are told once a day',
    async (_what, groups, after = 'none') => {
      const before = await comes('ann', ['rampart-admins'])
      expect(await comes('ann', groups)).toMatchObject({ kind: 'refused', why: 'sso-last-admin' })
      expect(await callerOf(before)).toMatchObject({ role: 'admin' })
      await comes('ann', groups)
      const kept = await prisma().adminNotice.findMany({ where: { kind: { not: 'member-joined' } } })
      expect(kept).toMatchObject([{ kind: 'last-admin-kept', facts: { member: 'ann', after } }])
      expect(await prisma().audit.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({
        action: 'session.start',
        outcome: 'refused',
        details: { why: 'sso-last-admin' },
      })
      await comes('bea', ['rampart-admins'])
      await comes('ann', groups)
      expect(await callerOf(before)).toBeNull()
      expect(await admins()).toEqual([{ name: 'bea' }])
    },
  )

  it.each([
    ['another role', ['helpdesk'], 'sso-last-admin'],
    ['none', [], 'sso-no-role'],
  ])(
    'is not lost at the set-up, where the provider gives %s: the link still works',
    async (_what, groups, why) => {
      const settingUp = await opened(await createSetUpLink(pool(), new URL('http://localhost:3000')))
      const joins = async () => {
        const { search, browser } = await sso.visited()
        return finishSingleSignOn(search, settingUp, browser)
      }
      sso.provider.state.account = { sub: 'ann', name: 'ann', groups }
      expect(await joins()).toMatchObject({ kind: 'refused', why })
      expect(await prisma().member.findMany()).toMatchObject([
        { role: 'admin', joinedAt: null, ssoSubject: null },
      ])
      expect(await prisma().adminNotice.count()).toBe(0)
      sso.provider.state.account = { sub: 'ann', name: 'ann', groups: ['rampart-admins'] }
      expect(await callerOf(await joins())).toMatchObject({ role: 'admin', name: 'ann' })
    },
  )

  it('is one of two whom the provider takes the role from at once', async () => {
    for (let round = 0; round < 5; round++) {
      await pool().query('TRUNCATE member, session')
      for (const sub of ['ann', 'bea']) await comes(sub, ['rampart-admins'])
      const answers = []
      for (const sub of ['ann', 'bea']) {
        sso.provider.state.account = { sub, name: sub, groups: ['helpdesk'] }
        answers.push(await sso.visited())
      }
      const both = await Promise.all(
        answers.map(({ search, browser }) => finishSingleSignOn(search, null, browser)),
      )
      expect(both.map(({ kind }) => kind).toSorted()).toEqual(['refused', 'signed-in'])
      expect(await admins()).toHaveLength(1)
    }
  })

  it('is one of two, of whom the provider demotes one while that one demotes the other', async () => {
    for (let round = 0; round < 5; round++) {
      await pool().query('TRUNCATE member, session')
      const ann = await callerOf(await comes('ann', ['rampart-admins']))
      const bea = await callerOf(await comes('bea', ['rampart-admins']))
      if (!ann?.memberId || !bea) throw new Error('nobody is signed in')
      sso.provider.state.account = { sub: 'bea', name: 'bea', groups: ['helpdesk'] }
      const { search, browser } = await sso.visited()
      await Promise.allSettled([
        finishSingleSignOn(search, null, browser),
        changeRole(bea, { memberId: ann.memberId, role: 'support', reason }, newBrowser()),
      ])
      expect(await admins()).toHaveLength(1)
    }
  })
})

describe('how fresh a sign-in is', () => {
  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds
  const says = (change: Record<string, unknown>) => {
    sso.provider.state.tamper = (claims) => ({ claims: { ...claims, ...change } })
  }
  const isFresh = async (outcome: SingleSignOnOutcome) => {
    const caller = await callerOf(outcome)
    return caller && isFreshlySignedIn(caller)
  }

  it('is what the provider says, so that an old session there is no new proof', async () => {
    const anHourAgo = secondsAgo(3600)
    says({ auth_time: anHourAgo })
    const caller = await callerOf(await sso.signedIn())
    expect(caller?.signedInAt).toBe(new Date(anHourAgo * 1000).toISOString())
    expect(caller && isFreshlySignedIn(caller)).toBe(false)
    sso.provider.state.tamper = null
    expect(await isFresh(await sso.signedIn())).toBe(true)
  })

  it('is asked of the provider at every sign-in, and again where somebody is to prove who they are', async () => {
    const asked = async (form: { again?: boolean }) =>
      new URL((await beginSingleSignOn(form, newBrowser())).url).searchParams
    for (const form of [{}, { again: true }])
      expect(JSON.parse((await asked(form)).get('claims') ?? '{}')).toEqual({
        id_token: { auth_time: { essential: true } },
      })
    expect(Number((await asked({})).get('max_age'))).toBeGreaterThan(0)
    expect(Object.fromEntries(await asked({ again: true }))).toMatchObject({ prompt: 'login', max_age: '0' })
  })

  it.each([
    ['no time at all', { auth_time: undefined }],
    ['a time to come, such as one in milliseconds', { auth_time: Date.now() }],
  ])('is none when the provider says %s', async (_what, change) => {
    says(change)
    expect(await isFresh(await sso.signedIn())).toBe(false)
    expect(await sso.signedIn({ again: true })).toMatchObject({ kind: 'refused', why: 'sso-not-again' })
    expect(await prisma().session.count()).toBe(1)
  })

  it.each([
    ['no time', { auth_time: undefined }],
    ['an old time', { auth_time: secondsAgo(3600) }],
  ])('does not count where the session is over, as of a locked page: %s is enough', async (_what, change) => {
    says(change)
    const outcome = await sso.signedIn({ again: true, next: '/team' }, true)
    expect(outcome).toMatchObject({ kind: 'signed-in', next: '/team' })
    expect(await isFresh(outcome)).toBe(false)
    // The provider is asked for a new sign-in, so that its own session alone unlocks no page.
    expect(sso.provider.state.asked.at(-1)?.searchParams.get('prompt')).toBe('login')
  })

  it('is not asked for again after a refusal where the session is over', async () => {
    sso.provider.state.account = { sub: 'x', groups: [] }
    expect(await sso.signedIn({ again: true }, true)).toMatchObject({ why: 'sso-no-role', again: false })
  })

  it('is none when the identity token says nothing, whatever else does', async () => {
    Object.assign(sso.provider.state.account, { auth_time: secondsAgo(0) })
    says({ auth_time: undefined })
    expect(await isFresh(await sso.signedIn())).toBe(false)
  })

  it.each([3600, 14 * 60, 60])(
    'is not enough for who is asked again and has proved it %i seconds before, however silently the provider let them in',
    async (seconds) => {
      says({ auth_time: secondsAgo(seconds) })
      const refused = await sso.signedIn({ again: true, next: '/team' })
      expect(refused).toEqual({ kind: 'refused', why: 'sso-not-again', next: '/team', again: true })
      expect(await prisma().session.count()).toBe(0)
    },
  )

  it('is enough when they did since they were asked, though long before the answer came', async () => {
    const { browser, search } = await sso.visited({ form: { again: true } })
    await pool().query(`UPDATE sso_attempt SET proof_since = proof_since - interval '10 min'`)
    says({ auth_time: secondsAgo(9 * 60) })
    expect(await isFresh(await finishSingleSignOn(search, null, browser, true))).toBe(true)
  })

  it.each([-20 * 60, 20 * 60])(
    'is counted by the provider’s clock where that is %i seconds off, and the log says so',
    async (off) => {
      const [now, hour] = [Math.floor(Date.now() / 1000) + off, 3600]
      const logged = captureLog()
      says({ iat: now, auth_time: now - 5, exp: now + hour })
      expect(await isFresh(await sso.signedIn({ again: true }))).toBe(true)
      expect(await isFresh(await sso.signedIn())).toBe(true)
      says({ iat: now, auth_time: now - hour, exp: now + hour })
      expect(await isFresh(await sso.signedIn())).toBe(false)
      expect(await sso.signedIn({ again: true })).toMatchObject({ why: 'sso-not-again' })
      // The time is in milliseconds, or in the future for the provider too.
      says({ iat: now, auth_time: now + hour, exp: now + hour })
      expect(await isFresh(await sso.signedIn())).toBe(false)
      logged.stop()
      expect(logged.lines).toHaveLength(5)
      for (const { level, seconds } of logged.lines)
        expect([level, Math.abs(Number(seconds) - off) < 30]).toEqual(['warn', true])
    },
  )

  it('is nothing where the token is over by this server’s clock; the log says how far the clocks are apart', async () => {
    const now = secondsAgo(20 * 60)
    says({ iat: now, auth_time: now, exp: now + 600 })
    const logged = captureLog()
    expect(await sso.signedIn()).toMatchObject({ why: 'sso-refused' })
    logged.stop()
    expect(logged.lines).toMatchObject([{ level: 'warn', clock: expect.stringMatching(/^-1[12]\d\d s/) }])
  })

  it('is none where the address was changed to ask for less, and only an older time came', async () => {
    says({ auth_time: secondsAgo(7204) })
    const { browser, search } = await sso.visited({
      form: { again: true },
      parameters: { max_age: '31536000', claims: '{}' },
    })
    expect(await finishSingleSignOn(search, null, browser, true)).toMatchObject({ why: 'sso-not-again' })
  })
})
