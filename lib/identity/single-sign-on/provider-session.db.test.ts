import crypto from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { newNonce, pageHeaders } from '#lib/platform/http/security-headers.ts'
import { newBrowser } from '../../../test/callers.ts'
import { clientId, clientSecret, type Variant } from '../../../test/identity-provider.ts'
import { captureLog } from '../../../test/log.ts'
import { startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { leadAway } from '../sessions/browser-session.ts'
import { endSession, readSession } from '../sessions/read-session.ts'
import { endByProvider, findProviderSignOut } from './provider-sessions.ts'

let sso: TestSingleSignOn
let logged = captureLog()
beforeAll(async () => {
  sso = await startSingleSignOn()
})
beforeEach(async () => {
  logged = captureLog()
  await serve()
})
afterEach(() => logged.stop())
afterAll(() => sso.stop())

async function serve(variant: Variant = {}) {
  await sso.serve(variant, { OIDC_CLIENT_SECRET: clientSecret })
  await sso.startOver()
}

async function signIn(): Promise<string> {
  const outcome = await sso.signedIn()
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return outcome.token
}

const isOn = async (token: string) => (await readSession(token, new Date())) !== null

describe('signing out here', () => {
  it('leads to the provider, which is told whose session ends and where to send the browser', async () => {
    const token = await signIn()
    await endSession(token, 'signed-out', newBrowser())
    const url = new URL((await findProviderSignOut(token)) ?? '')
    expect(url.origin).toBe(sso.provider.issuer)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: clientId,
      post_logout_redirect_uri: 'http://localhost:3000/api/single-sign-on/callback',
    })
    const [, payload = ''] = (url.searchParams.get('id_token_hint') ?? '').split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      sub: sso.provider.state.account.sub,
    })
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    // The address is used once and then deleted.
    expect(await findProviderSignOut(token)).toBeNull()
    expect(await prisma().session.findFirst()).toMatchObject({ ssoToken: null, ssoTokenKeyId: null })
  })

  it.each<[string, Variant]>([
    [
      'offers no sign-out',
      {
        configuration: {
          features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
        },
      },
    ],
  ])('stays here where the provider %s', async (_what, variant) => {
    await serve(variant)
    expect(await findProviderSignOut(await signIn())).toBeNull()
  })

  it('stays here while the provider is down', async () => {
    const token = await signIn()
    await sso.provider.stop()
    sso.set({ OIDC_NAME: 'Another' })
    expect(await findProviderSignOut(token)).toBeNull()
  })

  it('stays here for a session that began otherwise', async () => {
    expect(await findProviderSignOut('no token of ours')).toBeNull()
  })

  it('is answered by our own page when the provider’s cannot be found out, and the browser forgets the rest', async () => {
    const token = await signIn()
    const answers = await Promise.all([
      leadAway(async () => Promise.reject(new Error('the seal is broken'))),
      leadAway(async () => null),
      leadAway(null),
      leadAway(() => findProviderSignOut(token)),
    ])
    for (const { headers } of answers) expect(headers.get('clear-site-data')).toBe('"cache", "storage"')
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, '/sign-in'],
      [303, '/sign-in'],
      [303, '/sign-in'],
      [200, null],
    ])
    expect(logged.lines).toMatchObject([{ level: 'error', err: { message: 'the seal is broken' } }])
  })

  it.each([
    [0, true],
    [90, true],
    [130, true],
    [160, false],
    [600, false],
  ])('fits through proxies and servers for somebody with %i teams', async (teams, isNamed) => {
    sso.provider.state.tamper = (claims) => ({
      claims: { ...claims, teams: Array(teams).fill('another team') },
    })
    const token = await signIn()
    const answer = await leadAway(() => findProviderSignOut(token))
    const headers = Object.entries({ ...pageHeaders(newNonce()), ...Object.fromEntries(answer.headers) })
    // nginx takes headers of 4,096 bytes together, unless it is told otherwise. Next adds some.
    expect(headers.join('\r\n').length).toBeLessThan(3_000)
    const [, written = ''] = /; url=([^"]+)">/.exec(await answer.text()) ?? []
    const url = new URL(written.replaceAll('&amp;', '&'))
    // Keycloak takes a request line of 4,096 bytes.
    expect(url.href.length).toBeLessThan(4_000)
    expect(url.searchParams.has('id_token_hint')).toBe(isNamed)
    expect(url.searchParams.get('client_id')).toBe(clientId)
    expect((await fetch(url)).status).toBe(200)
  })
})

describe('a session that ends at the provider', () => {
  const sub = () => sso.provider.state.account.sub
  const logout = (claims: Record<string, unknown>, header?: Record<string, unknown>) =>
    endByProvider(sso.provider.logoutToken(claims, header), newBrowser())
  const event = 'http://schemas.openid.net/event/backchannel-logout'
  const now = () => Math.floor(Date.now() / 1000)

  it('ends here by the subject, with all of that person that came from the provider, and nobody else’s', async () => {
    const [first, second] = [await signIn(), await signIn()]
    const person = sub()
    sso.provider.state.account = { sub: crypto.randomUUID(), name: 'Ana', groups: ['helpdesk'] }
    const other = await signIn()
    expect(await logout({ sub: person })).toEqual({ kind: 'ended', sessions: 2 })
    expect(await Promise.all([first, second, other].map(isOn))).toEqual([false, false, true])
    expect(
      await prisma().audit.findFirst({
        where: { action: 'session.end' },
        select: { details: true, actor: true },
      }),
    ).toMatchObject({ actor: null, details: { why: 'by-provider' } })
  })

  it('ends here by the name of that session alone', async () => {
    await serve({
      client: { backchannel_logout_session_required: true, backchannel_logout_uri: 'http://localhost:1/' },
      configuration: {
        features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      },
    })
    const [first, second] = [await signIn(), await signIn()]
    const sessions = await prisma().session.findMany({ orderBy: { createdAt: 'asc' } })
    const sid = sessions[0]?.ssoSession
    expect(sid).toBeTruthy()
    expect(sessions[1]?.ssoSession).not.toBe(sid)
    expect(await logout({ sid })).toEqual({ kind: 'ended', sessions: 1 })
    expect(await Promise.all([first, second].map(isOn))).toEqual([false, true])
    expect(await logout({ sid: sessions[1]?.ssoSession, sub: sub() })).toEqual({ kind: 'ended', sessions: 1 })
    expect(await isOn(second)).toBe(false)
  })

  it('leaves a session of this person that began by a passkey', async () => {
    const token = await signIn()
    await pool().query(`UPDATE session SET method = 'passkey', sso_token = NULL, sso_token_key_id = NULL`)
    expect(await logout({ sub: sub() })).toEqual({ kind: 'ended', sessions: 0 })
    expect(await isOn(token)).toBe(true)
  })

  it('is told once: the same token ends nothing that began later', async () => {
    await signIn()
    const token = sso.provider.logoutToken({ sub: sub() })
    expect(await endByProvider(token, newBrowser())).toEqual({ kind: 'ended', sessions: 1 })
    const later = await signIn()
    expect(await endByProvider(token, newBrowser())).toMatchObject({ kind: 'refused' })
    expect(await isOn(later)).toBe(true)
  })

  it('is told by a key that the provider has just changed to', async () => {
    await signIn()
    await logout({ sub: 'nobody' })
    const kid = sso.provider.rotateKey()
    const token = await signIn()
    expect(await logout({ sub: sub() }, { kid })).toMatchObject({ kind: 'ended' })
    expect(await isOn(token)).toBe(false)
  })

  it.each([
    ['a minute ahead', 60, 60, 180],
    ['twenty minutes ahead', 1200, 1200, 1320],
    ['twenty minutes behind, so that the token has expired by ours', -1200, -1200, -1080],
    ['fifty minutes behind, without an expiry', -3000, -3000, undefined],
    ['twenty minutes ahead, and says from when', 1200, 1200, 1320, 1200],
  ])('is told once by a provider whose clock is %s', async (_what, seconds, iat, exp, nbf?: number) => {
    const token = await signIn()
    const times = { iat: now() + iat, exp: exp && now() + exp, nbf: nbf && now() + nbf }
    const raw = sso.provider.logoutToken({ sub: sub(), ...times })
    expect(await endByProvider(raw, newBrowser())).toEqual({ kind: 'ended', sessions: 1 })
    expect(await isOn(token)).toBe(false)
    const [line, ...others] = logged.lines
    expect(others).toEqual([])
    expect(line).toMatchObject({
      level: 'warn',
      component: 'single-sign-on',
      message: expect.stringContaining('clock'),
    })
    expect(Math.abs(Number(line?.seconds) - seconds)).toBeLessThan(10)
    expect(await endByProvider(raw, newBrowser())).toEqual({
      kind: 'refused',
      why: 'this logout token was used before',
    })
  })

  it.each<[string, Record<string, unknown>]>([
    ['sid', { sid: null }],
    ['sid, and others', { sid: '', exp: null, nbf: null, nonce: null }],
    ['sub', { sub: null, sid: 'theirs' }],
    ['sub, and others', { sub: '', sid: 'theirs', exp: '', nbf: '', nonce: '' }],
    ['expiry', { exp: null }],
    ['beginning', { nbf: null }],
    ['nonce', { nonce: null }],
    ['content of its event', { events: { [event]: null } }],
  ])('is told by a token that leaves out its %s as null or empty', async (_what, change) => {
    sso.provider.state.tamper = (claims) => ({ claims: { ...claims, sid: 'theirs' } })
    const token = await signIn()
    expect(await logout({ sub: sub(), ...change })).toEqual({ kind: 'ended', sessions: 1 })
    expect(await isOn(token)).toBe(false)
  })

  it('is told without a word of clocks that agree', async () => {
    await signIn()
    expect(await logout({ sub: sub(), iat: now() - 20 })).toMatchObject({ kind: 'ended' })
    expect(logged.lines).toEqual([])
  })

  it.each(['first', 'last'] as const)(
    'is told by a token that names no key, signed by the %s of several',
    async (place) => {
      await signIn()
      sso.provider.rotateKey(place)
      sso.provider.rotateKey(place)
      const token = await signIn()
      expect(await logout({ sub: sub() }, { kid: undefined })).toMatchObject({ kind: 'ended' })
      expect(await isOn(token)).toBe(false)
    },
  )

  it('is told by a token that names no key, signed by one that the provider has just changed to', async () => {
    await signIn()
    await logout({ sub: 'nobody' })
    for (const place of [undefined, 'last', 'first'] as const) {
      sso.provider.rotateKey(place)
      const token = await signIn()
      expect(await logout({ sub: sub() }, { kid: undefined })).toMatchObject({ kind: 'ended' })
      expect(await isOn(token)).toBe(false)
    }
  })

  it.each<[string, () => Record<string, unknown>, Record<string, unknown>?]>([
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['another client', () => ({ aud: 'another' })],
    ['a nonce, as an identity token has', () => ({ nonce: 'x' })],
    ['no event', () => ({ events: undefined })],
    ['another event', () => ({ events: { 'http://schemas.openid.net/event/other': {} } })],
    ['an event that is no object', () => ({ events: { [event]: true } })],
    ['neither a subject nor a session', () => ({ sub: undefined })],
    ['null as subject and session', () => ({ sub: null, sid: null })],
    ['an empty subject and session', () => ({ sub: '', sid: '' })],
    ['a session that is no text', () => ({ sid: 5 })],
    ['a nonce that is no text', () => ({ nonce: 0 })],
    ['no issuer', () => ({ iss: undefined })],
    ['null as issuer', () => ({ iss: null })],
    ['no client', () => ({ aud: undefined })],
    ['null as client', () => ({ aud: null })],
    ['no client in a list', () => ({ aud: [] })],
    ['another client in a list', () => ({ aud: ['another', null, [clientId]] })],
    ['an expiry that is no number', () => ({ exp: String(now() + 120) })],
    ['a beginning that is no number', () => ({ nbf: String(now() - 120) })],
    ['no name of its own', () => ({ jti: undefined })],
    ['no time', () => ({ iat: undefined })],
    ['a time of yesterday', () => ({ iat: now() - 86_400, exp: undefined })],
    ['a time of two hours ago', () => ({ iat: now() - 7200 })],
    ['a time in two hours', () => ({ iat: now() + 7200, exp: now() + 7320 })],
    ['a time that is no number', () => ({ iat: String(now()) })],
    ['an expiry long past', () => ({ iat: now() - 3000, exp: now() - 2000 })],
    ['an expiry before its time', () => ({ exp: now() - 120 })],
    ['a beginning long after now', () => ({ nbf: now() + 2000 })],
    ['no signature', () => ({}), { alg: 'none' }],
    ['a signature by a secret', () => ({}), { alg: 'HS256' }],
    ['another type', () => ({}), { typ: 'at+jwt' }],
    ['a type that is no text', () => ({}), { typ: 5 }],
    ['a key that nobody knows', () => ({}), { kid: 'unknown' }],
  ])('is not told by a token with %s', async (_what, change, header) => {
    const token = await signIn()
    expect(await logout({ sub: sub(), ...change() }, header)).toMatchObject({ kind: 'refused' })
    expect(await isOn(token)).toBe(true)
    expect(logged.lines.at(-1)).toMatchObject({ level: 'warn', component: 'single-sign-on' })
  })

  it.each([undefined, null, '', 'JWT', 'application/logout+jwt'])(
    'is told by one of the type %j',
    async (typ) => {
      await signIn()
      expect(await logout({ sub: sub() }, { typ })).toMatchObject({ kind: 'ended' })
    },
  )

  it('is told by a token for several clients, of which one is this', async () => {
    await signIn()
    expect(await logout({ sub: sub(), aud: ['another', clientId] })).toMatchObject({ kind: 'ended' })
  })

  it.each([null, '', 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])('is not told by %j', async (token) => {
    expect(await endByProvider(token, newBrowser())).toMatchObject({ kind: 'refused' })
  })

  it.each(['', 'x', 'null', '5', '[]', '{', '\xff'])(
    'is not told by signed content of %j',
    async (content) => {
      expect(await endByProvider(sso.provider.sign(content), newBrowser())).toMatchObject({ kind: 'refused' })
    },
  )

  it('is not told by strangers, however often they post, and each reason is logged once', async () => {
    for (let times = 0; times < 20; times += 1)
      for (const token of [null, 'x', 'a.b.c'])
        expect(await endByProvider(token, newBrowser())).toMatchObject({ kind: 'refused' })
    expect(logged.lines.map(({ cause }) => cause)).toEqual(['there is no logout_token', 'ERR_JWS_INVALID'])
  })

  it('is not told by anybody where there is no single sign-on', async () => {
    const token = sso.provider.logoutToken({ sub: sub() })
    const none = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLE_CLAIM', 'OIDC_ROLE_MAP']
    const before = Object.fromEntries(none.map((name) => [name, process.env[name] ?? '']))
    sso.set({ ...Object.fromEntries(none.map((name) => [name, ''])), OIDC_SCOPE: '' })
    logged = captureLog()
    for (const one of [token, null, 'x'])
      expect(await endByProvider(one, newBrowser())).toMatchObject({ kind: 'refused' })
    expect(logged.lines).toEqual([])
    sso.set({ ...before, OIDC_SCOPE: 'openid profile email groups' })
  })

  it('is not told by what somebody else has signed, or changed', async () => {
    const token = await signIn()
    const [head = '', payload, signature] = sso.provider.logoutToken({ sub: 'somebody' }).split('.')
    const [, changed] = sso.provider.logoutToken({ sub: sub() }).split('.')
    expect(changed).not.toBe(payload)
    expect(await endByProvider(`${head}.${changed}.${signature}`, newBrowser())).toMatchObject({
      kind: 'refused',
    })
    const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 })
    const forge = (signed: string) =>
      `${signed}.${crypto.sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
    expect(await endByProvider(forge(`${head}.${changed}`), newBrowser())).toMatchObject({ kind: 'refused' })
    sso.provider.rotateKey('last')
    const [unnamed] = sso.provider.logoutToken({}, { kid: undefined }).split('.')
    expect(await endByProvider(forge(`${unnamed}.${changed}`), newBrowser())).toMatchObject({
      kind: 'refused',
    })
    expect(await isOn(token)).toBe(true)
  })
})
