import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { captureLog } from '../../../test/log.ts'
import { callerOf, startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { invite, listInvitations } from '../links/invitations.ts'
import { openLink } from '../links/set-up.ts'
import { readSetUpSession } from '../sessions/read-session.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'

const fixedAdmin = crypto.randomUUID()
let sso: TestSingleSignOn
beforeAll(async () => {
  sso = await startSingleSignOn({ RAMPART_ADMINS: fixedAdmin })
})
afterAll(() => sso.stop())
beforeEach(() => sso.startOver())

const reason = 'a test wants it'
const without = { groups: undefined }
const inToken = (claims: Record<string, unknown>) => {
  sso.provider.state.tamper = (others) => ({ claims: { ...others, ...claims } })
}

/** Al is an admin by the claim, with a session, beside another admin. */
async function al() {
  const admin = { sub: 'al', name: 'Al', groups: ['rampart-admins'] }
  await sso.comes({ ...admin, sub: 'bo', name: 'Bo' })
  const before = await sso.comes(admin)
  const caller = await callerOf(before)
  if (!caller?.memberId) throw new Error('nobody is signed in')
  const invited = { name: 'Cy', email: undefined, role: 'auditor', reason } as const
  await invite(caller, invited, newBrowser())
  await prisma().adminNotice.deleteMany()
  return { before, memberId: caller.memberId, admin }
}

describe('a role that the provider did not say', () => {
  it.each([
    ['without the claim', 'sso-role-not-sent', without, {}],
    ['with null', 'sso-role-not-sent', { groups: null }, {}],
    ['with an empty text', 'sso-role-not-sent', { groups: '' }, {}],
    ['with a claim that is elsewhere', 'sso-role-not-sent', without, elsewhere()],
    ['with part of a claim that is elsewhere', 'sso-role-not-sent', { groups: ['helpdesk'] }, elsewhere()],
    ['with too many groups for one token', 'sso-role-not-sent', without, { hasgroups: true }],
    [
      'with an empty list of groups that it says there are',
      'sso-role-not-sent',
      { groups: [] },
      { hasgroups: true },
    ],
    ['as a text with commas', 'sso-role-unreadable', { groups: 'rampart-admins,helpdesk' }, {}],
    ['as a text with blanks', 'sso-role-unreadable', { groups: 'helpdesk rampart-admins' }, {}],
    ['as a text of JSON', 'sso-role-unreadable', { groups: '["rampart-admins"]' }, {}],
    ['as one text in a list', 'sso-role-unreadable', { groups: ['helpdesk;rampart-admins'] }, {}],
    ['as objects', 'sso-role-unreadable', { groups: [{ name: 'rampart-admins' }] }, {}],
    ['within an object', 'sso-role-unreadable', { groups: { roles: ['rampart-admins'] } }, {}],
  ] as const)('%s is not taken for none: nothing changes', async (_what, why, account, token) => {
    const { before, memberId, admin } = await al()
    sso.provider.state.account = { ...admin, ...account }
    inToken(token)
    const logged = captureLog()
    expect(await sso.signedIn()).toMatchObject({ kind: 'refused', why })
    logged.stop()
    expect(await callerOf(before)).toMatchObject({ memberId, role: 'admin' })
    expect(await listInvitations(callerWith('admin'))).toHaveLength(1)
    expect(await prisma().adminNotice.findMany()).toMatchObject([
      { kind: 'role-not-said', about: memberId, facts: { member: 'Al', claim: 'groups' } },
    ])
    expect(logged.lines).toMatchObject([{ level: 'warn', component: 'single-sign-on', claim: 'groups' }])
    expect(logged.lines[0]).toHaveProperty('came', expect.arrayContaining(['sub', 'name']))
  })

  it('is told to admins once a day of a person', async () => {
    const { admin } = await al()
    for (const account of [without, without, { groups: null }]) await sso.comes({ ...admin, ...account })
    expect(await prisma().adminNotice.count()).toBe(1)
  })

  it('makes nobody a member, and leaves an invitation as it was', async () => {
    sso.provider.state.account = { sub: 'new', name: 'New' }
    expect(await sso.signedIn()).toMatchObject({ why: 'sso-role-not-sent' })
    const invited = { name: 'Cy', email: undefined, role: 'auditor', reason } as const
    const { link } = await invite(callerWith('admin'), invited, newBrowser())
    const opened = await openLink({ token: new URL(link ?? 'http://none').hash.slice(1) }, newBrowser())
    const settingUp = await readSetUpSession(opened.token, new Date())
    const { search, browser } = await sso.visited()
    expect(await finishSingleSignOn(search, settingUp, browser)).toMatchObject({ why: 'sso-role-not-sent' })
    Object.assign(sso.provider.state.account, { groups: ['helpdesk'] })
    const later = await sso.visited()
    expect(await callerOf(await finishSingleSignOn(later.search, settingUp, later.browser))).toMatchObject({
      name: 'Cy',
      role: 'support',
    })
  })

  it('keeps nobody out whom RAMPART_ADMINS makes an admin: no claim counts for them', async () => {
    const { memberId, admin } = await al()
    await prisma().member.update({ where: { id: memberId }, data: { userUuid: fixedAdmin } })
    expect(await callerOf(await sso.comes({ ...admin, ...without }))).toMatchObject({ role: 'admin' })
  })
})

describe('a role that the provider did say', () => {
  it('in the identity token alone, or from its userinfo endpoint alone, counts', async () => {
    sso.provider.state.account = { sub: 'a', name: 'A' }
    inToken({ groups: ['helpdesk'] })
    expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support' })
    inToken({ groups: null })
    Object.assign(sso.provider.state.account, { groups: ['rampart-admins'] })
    expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'admin' })
  })

  it.each([
    ['a list of others', ['everybody']],
    ['an empty list', []],
    ['another text', 'everybody'],
  ])('as %s takes the role away, and the log names what came', async (_what, groups) => {
    const { before, admin } = await al()
    const logged = captureLog()
    expect(await sso.comes({ ...admin, groups })).toMatchObject({ why: 'sso-no-role' })
    logged.stop()
    expect(await callerOf(before)).toBeNull()
    expect(logged.lines).toMatchObject([{ claim: 'groups', value: JSON.stringify(groups) }])
  })
})

describe('the name', () => {
  it('follows a change at the provider; one that is blank or missing changes nothing', async () => {
    const member = { sub: 'k', groups: ['helpdesk'] }
    const named = async (name?: string) => {
      await sso.comes({ ...member, ...(name === undefined ? {} : { name }) })
      return (await pool().query<{ name: string }>('SELECT name FROM member')).rows
    }
    expect(await named('Kim')).toEqual([{ name: 'Kim' }])
    expect(await named('Kim Newman')).toEqual([{ name: 'Kim Newman' }])
    expect(await named('  ')).toEqual([{ name: 'Kim Newman' }])
    expect(await named()).toEqual([{ name: 'Kim Newman' }])
  })
})

function elsewhere() {
  return { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } }
}
