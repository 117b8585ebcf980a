import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { changing, clientSecret, type Variant } from '../../../test/identity-provider.ts'
import { captureLog } from '../../../test/log.ts'
import { callerOf, startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import { invite, listInvitations } from '../links/invitations.ts'
import { openLink } from '../links/set-up.ts'
import { readSetUpSession } from '../sessions/read-session.ts'
import { beginSingleSignOn } from './begin-single-sign-on.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'
import { countProviderKeys, providerFault } from './provider.ts'
import { endByProvider, findProviderSignOut } from './provider-sessions.ts'

const fixedAdmin = crypto.randomUUID()
let sso: TestSingleSignOn
beforeAll(async () => {
  sso = await startSingleSignOn({ RAMPART_ADMINS: fixedAdmin })
})
afterAll(() => sso.stop())
beforeEach(() => sso.startOver())

const reason = 'a test wants it'
const without = { groups: undefined }
async function serve(variant: Variant) {
  await sso.serve(variant, { OIDC_CLIENT_SECRET: clientSecret })
  await sso.startOver()
}
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

describe('a member that the provider leaves out of its discovery document', () => {
  const describing = (change: Record<string, unknown>) =>
    serve({ answers: changing('/.well-known/', (body) => ({ ...body, ...change })) })

  it.each([
    [null],
    [''],
    [5],
    [{}],
    [[]],
    ['relative'],
    ['/relative'],
    ['//elsewhere'],
    ['ftp://localhost/x'],
  ])('as an address of %j, signs in and out without it', async (value) => {
    await describing({
      userinfo_endpoint: value,
      end_session_endpoint: value,
      pushed_authorization_request_endpoint: value,
      registration_endpoint: value,
    })
    inToken({ groups: ['helpdesk'] })
    const outcome = await sso.signedIn()
    expect(await callerOf(outcome)).toMatchObject({ role: 'support' })
    if (outcome.kind === 'signed-in') expect(await findProviderSignOut(outcome.token)).toBeNull()
    const logout = sso.provider.logoutToken({ sub: sso.provider.state.account.sub })
    expect(await endByProvider(logout, newBrowser())).toEqual({ kind: 'ended', sessions: 1 })
  })

  it.each([[null], [''], ['none'], [5], [{}], [[]], [[null]], [['']], [['', null, 5]]])(
    'as a list of %j, counts as missing',
    async (value) => {
      await describing({
        token_endpoint_auth_methods_supported: value,
        id_token_signing_alg_values_supported: value === 'none' ? 'RS256' : value,
        userinfo_signing_alg_values_supported: value,
        prompt_values_supported: value,
        code_challenge_methods_supported: value,
        response_types_supported: value,
        scopes_supported: value,
      })
      expect(await sso.signedIn({ another: true })).toMatchObject({ kind: 'asked-anew' })
      expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support' })
    },
  )

  it.each([[null], [''], ['false'], [0], [[]]])('as a yes of %j, is no', async (value) => {
    await describing({
      authorization_response_iss_parameter_supported: value,
      require_pushed_authorization_requests: value,
    })
    const { search, browser } = await sso.visited()
    const answer = new URLSearchParams(search)
    answer.delete('iss')
    expect(await finishSingleSignOn(`?${answer}`, null, browser)).toMatchObject({ kind: 'signed-in' })
    expect(sso.provider.state.asked.at(-1)?.searchParams.has('request_uri')).toBe(false)
  })

  it.each([true, 'true'])('as a yes of %j, is yes', async (value) => {
    await describing({
      authorization_response_iss_parameter_supported: value,
      require_pushed_authorization_requests: value,
    })
    const { search, browser } = await sso.visited()
    expect(sso.provider.state.asked.at(-1)?.searchParams.has('request_uri')).toBe(true)
    const answer = new URLSearchParams(search)
    answer.delete('iss')
    const logged = captureLog()
    expect(await finishSingleSignOn(`?${answer}`, null, browser)).toMatchObject({ why: 'sso-refused' })
    logged.stop()
  })

  it.each(
    ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].flatMap((name) =>
      [undefined, null, '', '/relative', 5].map((value) => [name, value] as const),
    ),
  )('%s of %j, refuses everybody by its name before they go there', async (name, value) => {
    await describing({ [name]: value })
    const logged = captureLog()
    const refused = await beginSingleSignOn({}, newBrowser()).catch((error: Error) => error)
    const logout = sso.provider.logoutToken({ sub: sso.provider.state.account.sub })
    expect(await endByProvider(logout, newBrowser())).toMatchObject({ kind: 'refused' })
    logged.stop()
    expect(refused).toMatchObject({ code: 'provider-incomplete' })
    expect(logged.text()).toContain(name)
    expect(await providerFault()).toContain(name)
  })

  it.each([null, '', 'login.example.com', 5])('an issuer of %j, is refused by its name', async (value) => {
    await describing({ issuer: value })
    const logged = captureLog()
    await expect(beginSingleSignOn({}, newBrowser())).rejects.toMatchObject({ code: 'provider-issuer' })
    logged.stop()
    expect(await providerFault()).toContain('issuer')
  })

  it.each([[null], [''], [5], [{}], [[]]])('of a key, as %j, does not hide the key', async (value) => {
    const odd = { use: value, alg: value, key_ops: value === 5 ? undefined : value }
    const answers = changing('/jwks', ({ keys }) => ({
      keys: [keys].flat().map((key) => Object.assign({}, key, odd)),
    }))
    await serve({ answers })
    expect(await countProviderKeys()).toBe(1)
    expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support' })
    const logout = sso.provider.logoutToken({ sub: sso.provider.state.account.sub })
    expect(await endByProvider(logout, newBrowser())).toEqual({ kind: 'ended', sessions: 1 })
  })
})

describe('a member that the provider leaves out of an answer', () => {
  const answering = (path: string, change: Record<string, unknown>, more: Variant = {}) =>
    serve({ ...more, answers: changing(path, (body) => ({ ...body, ...change })) })

  it.each([[null], [''], ['never'], [0], [-1], [[]], [{}], ['3600']])(
    'as %j, is not missed',
    async (value) => {
      const unused = { expires_in: value, refresh_token: value, scope: value, session_state: value }
      await answering('/token', unused)
      expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support' })
      await answering('/request', unused, {
        configuration: {
          features: {
            devInteractions: { enabled: false },
            pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
          },
        },
      })
      expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support' })
      expect(sso.provider.state.asked.at(-1)?.searchParams.has('request_uri')).toBe(true)
    },
  )

  it.each([[null], [''], [5], [['x']], [{}]])(
    'a reason of %j, still refuses with its code',
    async (value) => {
      await serve({
        answers: (request, response) => {
          if (request.url !== '/token') return false
          response.writeHead(400, { 'content-type': 'application/json' })
          response.end(JSON.stringify({ error: 'invalid_grant', error_description: value, error_uri: value }))
          return true
        },
      })
      const logged = captureLog()
      expect(await sso.signedIn()).toMatchObject({ why: 'sso-refused' })
      logged.stop()
      expect(logged.lines).toMatchObject([{ said: 'invalid_grant' }])
    },
  )

  it.each([[null], [''], [5], [{}], [[]]])('about the person, as %j, lets them in', async (value) => {
    const others = ['name', 'email', 'email_verified', 'locale', 'picture', 'amr', 'acr', 'azp', 'sid']
    const change = Object.fromEntries(others.map((name) => [name, value]))
    await answering('/me', change)
    inToken(change)
    expect(await callerOf(await sso.signedIn())).toMatchObject({ role: 'support', email: null })
    expect(await prisma().session.findFirst()).toMatchObject({ ssoSession: null })
  })
})

describe('a time that the provider does not know', () => {
  const unknown: [unknown][] = [[null], [''], ['1796018627'], [-1], [true], [[]], [{}]]
  const asksForTime = () => sso.provider.state.asked.at(-1)?.searchParams.has('max_age')
  beforeEach(() => serve({}))

  it.each(unknown)('and answers as %j when asked, is not asked for again: nobody is fresh', async (value) => {
    sso.provider.state.tamper = ({ auth_time: _, ...claims }) => ({
      claims: asksForTime() ? { ...claims, auth_time: value } : claims,
    })
    const { search, browser } = await sso.visited({ form: { next: '/team' } })
    const asked = await finishSingleSignOn(search, null, browser)
    if (asked.kind !== 'asked-anew') throw new Error(asked.kind)
    const later = await finishSingleSignOn(await sso.provider.visit(asked.url), null, browser)
    expect(later).toMatchObject({ kind: 'signed-in', next: '/team' })
    expect(await callerOf(later)).toMatchObject({ role: 'support', signedInAt: new Date(0).toISOString() })
  })

  it('unlocks a page, whose session is over', async () => {
    sso.provider.state.tamper = (claims) => ({
      claims: asksForTime() ? { ...claims, auth_time: null } : claims,
    })
    const { search, browser } = await sso.visited({ form: { next: '/team', again: true } })
    const asked = await finishSingleSignOn(search, null, browser)
    if (asked.kind !== 'asked-anew') throw new Error(asked.kind)
    expect(new URL(asked.url).searchParams.get('prompt')).toBe('login')
    const later = await finishSingleSignOn(await sso.provider.visit(asked.url), null, browser)
    expect(later).toMatchObject({ kind: 'signed-in', next: '/team' })
  })

  it.each(unknown)('and always answers as %j, is refused by the claim', async (value) => {
    inToken({ auth_time: value })
    const { search, browser } = await sso.visited()
    const asked = await finishSingleSignOn(search, null, browser)
    if (asked.kind !== 'asked-anew') throw new Error(asked.kind)
    const logged = captureLog()
    const came = await sso.provider.visit(asked.url)
    expect(await finishSingleSignOn(came, null, browser)).toMatchObject({ why: 'sso-claim' })
    logged.stop()
    expect(logged.lines).toMatchObject([{ why: 'sso-claim' }])
    expect(logged.text()).toContain('auth_time')
  })

  it('refuses at once whoever must prove again who they are', async () => {
    inToken({ auth_time: null })
    const logged = captureLog()
    expect(await sso.signedIn({ again: true })).toMatchObject({ why: 'sso-claim', again: true })
    logged.stop()
  })

  it.each([
    ['nbf', null],
    ['iat', '1796018627'],
    ['exp', '9999999999'],
    ['sub', 5],
  ])('is no other claim: %s as %j is named too, and nobody is told to try again', async (name, value) => {
    inToken({ [name]: value })
    const logged = captureLog()
    expect(await sso.signedIn()).toMatchObject({ why: 'sso-claim' })
    logged.stop()
    expect(logged.text()).toContain(name)
    expect(signInMessages['sso-claim'].next).not.toMatch(/try again|start again/i)
  })
})

function elsewhere() {
  return { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } }
}
