import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type net from 'node:net'
import type { ClientAuthMethod } from 'oidc-provider'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ActionContext } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { freePort } from '../../../bin/postgres.ts'
import { newBrowser } from '../../../test/callers.ts'
import { makeAuthority, trustedAuthority } from '../../../test/certificates.ts'
import { englishOf } from '../../../test/english-of.ts'
import { clientId, clientSecret, refuses, type Variant } from '../../../test/identity-provider.ts'
import { captureLog } from '../../../test/log.ts'
import { startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import { asksForAnother, type SignInRefusal } from '../rules/sign-in.ts'
import { beginSingleSignOn } from './begin-single-sign-on.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'
import { providerFault } from './provider.ts'

const finish = (browser: ActionContext, search: string) => finishSingleSignOn(search, null, browser, true)

/** Some messages say that trying again helps; the test knows the refusals that should. */
const waits = (why: SignInRefusal) => /try again|start again/i.test(signInMessages[why].next)
const mayPass = new Set<SignInRefusal>(['sso-provider-down', 'sso-declined', 'sso-expired'])

let sso: TestSingleSignOn
const logged = captureLog()
beforeAll(async () => {
  sso = await startSingleSignOn()
})
afterEach(() => {
  // The log shows the error in full.
  expect(logged.text()).not.toContain('[object Object]')
  logged.lines.length = 0
})
afterAll(async () => {
  logged.stop()
  await sso.stop()
})

/** The provider belongs to one test. */
async function at(variant: Variant, settings: Record<string, string> = {}): Promise<TestSingleSignOn> {
  await sso.serve(variant, { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, ...settings })
  await sso.startOver()
  return sso
}

const form = { next: '/team', again: true }

/** Keycloak answers this in a tab once somebody has signed in in another one. */
const endedThere = ['temporarily_unavailable', 'authentication_expired'] as const

describe('a refusal has words of its cause, and keeps where one was going', () => {
  const always = () => true
  it.each<[string, SignInRefusal, Variant, Record<string, string>]>([
    ['an unknown scope', 'sso-scope', { answers: refuses(always, 'invalid_scope') }, {}],
    ['a client that may not ask', 'sso-client', { answers: refuses(always, 'unauthorized_client') }, {}],
    [
      'pushed requests that it wants and offers nowhere',
      'sso-pushed',
      {
        configuration: {
          features: { devInteractions: { enabled: false }, pushedAuthorizationRequests: { enabled: false } },
        },
        answers: refuses(always, 'invalid_request', 'Pushed Authorization Request is only allowed.'),
      },
      {},
    ],
    [
      'a question that it never takes',
      'sso-asks-not-again',
      { answers: refuses(always, 'invalid_request') },
      {},
    ],
    ['a fault of its own', 'sso-provider-down', { answers: refuses(always, 'temporarily_unavailable') }, {}],
    ['a sign-in that ended there, twice', 'sso-expired', { answers: refuses(always, ...endedThere) }, {}],
    ['somebody whom it does not let in', 'sso-declined', { answers: refuses(always, 'access_denied') }, {}],
    [
      'an encrypted identity token',
      'sso-encrypted',
      {
        client: { id_token_encrypted_response_alg: 'dir', id_token_encrypted_response_enc: 'A128CBC-HS256' },
        configuration: { features: { devInteractions: { enabled: false }, encryption: { enabled: true } } },
      },
      {},
    ],
    [
      'HS256',
      'sso-algorithm',
      {
        client: { id_token_signed_response_alg: 'HS256' },
        configuration: { enabledJWA: { idTokenSigningAlgValues: ['HS256', 'RS256'] } },
      },
      {},
    ],
    ['another secret', 'sso-client', {}, { OIDC_CLIENT_SECRET: 'another secret' }],
  ])('%s: %s', async (_what, why, variant, settings) => {
    const { visited } = await at(variant, settings)
    const { browser, search } = await visited({ form })
    let outcome = await finish(browser, search)
    if (outcome.kind === 'asked-anew') outcome = await finish(browser, await sso.provider.visit(outcome.url))
    expect(outcome).toMatchObject({ kind: 'refused', why, next: '/team', again: true })
    expect(logged.lines.at(-1)).toMatchObject({ component: 'single-sign-on', why })
    expect(waits(why), signInMessages[why].next).toBe(mayPass.has(why))
  })

  it('an account that may not come here, whose reason the log has', async () => {
    const { visited } = await at({
      answers: refuses(always, 'access_denied', 'User is not assigned to the client application.'),
    })
    const { browser, search } = await visited({ form })
    expect(await finish(browser, search)).toMatchObject({ why: 'sso-declined', next: '/team' })
    expect(logged.lines.at(-1)).toMatchObject({
      level: 'info',
      said: 'access_denied',
      reason: 'User is not assigned to the client application.',
    })
    const { title, next } = signInMessages['sso-declined']
    expect(title).not.toContain('cancelled')
    // Somebody who is signed in may cancel a fresh sign-in, and goes on with the same account.
    expect(next).toMatch(/^Nothing happened\. You cancelled, or .* Start again, or ask/)
  })

  it('fifteen minutes at the provider', async () => {
    const { visited } = await at({})
    const { browser, search } = await visited({ form })
    await pool().query(`UPDATE sso_attempt SET expires_at = now() - interval '1 s'`)
    expect(await finish(browser, search)).toMatchObject({ why: 'sso-expired', next: '/team', again: true })
    // The provider also ends a sign-in that was finished in another tab.
    expect(signInMessages['sso-expired'].next).toMatch(/fifteen minutes .* or you signed in in another tab\./)
    expect(await finish(browser, search)).toMatchObject({ why: 'sso-unknown' })
  })

  it('an answer without the state that it came with', async () => {
    const { visited } = await at({})
    const { browser } = await visited({ form })
    expect(await finish(browser, '?error=invalid_scope')).toMatchObject({
      why: 'sso-unknown',
      next: '/team',
      again: true,
    })
    expect(await finish(newBrowser(), '?error=invalid_scope')).toMatchObject({ next: null, again: false })
  })

  it('too many answers', async () => {
    const { visited } = await at({})
    const { browser, search } = await visited({ form })
    for (let times = 0; times < 120; times++) await consumeLimit('sso-return-per-ip', browser.ip)
    expect(await finish(browser, search)).toMatchObject({ why: 'too-many', next: '/team', again: true })
  })
})

describe('a provider that cannot be used is refused before anybody is sent there', () => {
  const answer = (status: number, body: string, type = 'application/json'): Variant['answers'] => {
    return (request, response) => {
      if (!request.url?.includes('/.well-known/')) return false
      response.writeHead(status, { 'content-type': type }).end(body)
      return true
    }
  }
  const elsewhere = JSON.stringify({ issuer: 'https://login.example.net/realms/b' })
  it.each<[string, SignInRefusal, Variant['answers'], string]>([
    [
      'calls itself something else',
      'sso-issuer',
      answer(200, elsewhere),
      'https://login.example.net/realms/b',
    ],
    ['is not at this path', 'sso-issuer', answer(404, 'Not found', 'text/plain'), '404'],
    ['is moved', 'sso-issuer', answer(301, ''), '301'],
    ['answers a page', 'sso-issuer', answer(200, '<html>', 'text/html'), 'text/html'],
    ['has a fault', 'sso-provider-down', answer(503, '', 'text/plain'), '503'],
  ])('%s: %s', async (_what, why, answers, named) => {
    const { provider } = await at({ answers })
    const refused: unknown = await beginSingleSignOn(form, newBrowser()).catch((error) => error)
    expect(refused).toBeInstanceOf(Refused)
    expect(englishOf(refused)).toMatchObject(signInMessages[why])
    expect(logged.text()).toContain(named)
    expect(logged.text()).toContain(provider.issuer)
    expect(await providerFault()).toContain(named)
    expect(waits(why)).toBe(mayPass.has(why))
  })

  const yesterday = new Date(Date.now() - 86_400_000)
  it.each<[string, () => net.Server, string]>([
    [
      'of an unknown authority',
      () => https.createServer(makeAuthority().certify('localhost')),
      'NODE_EXTRA_CA_CERTS',
    ],
    [
      'that has expired',
      () => https.createServer(trustedAuthority().certify('localhost', yesterday)),
      'expired',
    ],
    ['for another host', () => https.createServer(trustedAuthority().certify('a.example')), 'a.example'],
    ['that is none, at a port without TLS', () => http.createServer(), 'does not speak TLS'],
  ])('has a certificate %s', async (_what, serve, named) => {
    const port = await freePort()
    const server = serve().listen(port, 'localhost')
    await once(server, 'listening')
    await at({}, { OIDC_ISSUER: `https://localhost:${port}` })
    const refused: unknown = await beginSingleSignOn(form, newBrowser()).catch((error) => error)
    expect(englishOf(refused)).toMatchObject(signInMessages['sso-certificate'])
    expect(logged.text()).toContain(named)
    expect(await providerFault()).toContain(named)
    expect(waits('sso-certificate')).toBe(false)
    server.close()
  })

  it.each([
    ['/realms/a', '/realms/a/'],
    ['/realms/a/', '/realms/a'],
    ['', '/'],
  ])('but not for a slash at the end: %s, written as %s', async (path, written) => {
    const { provider, signedIn, set } = await at({ path })
    set({ OIDC_ISSUER: `${new URL(provider.issuer).origin}${written}` })
    expect(await signedIn()).toMatchObject({ kind: 'signed-in' })
  })
})

describe('the client proves itself as the provider wants it', () => {
  const odd = 'Jh68Q~L7.tp+%/=-_ and more of it'
  /** The provider compares the Basic value without decoding it, as many do. */
  const comparesRaw =
    (id: string, secret: string): Variant['answers'] =>
    (request, response) => {
      const [scheme, given = ''] = (request.headers.authorization ?? '').split(' ')
      if (request.url !== '/token' || scheme !== 'Basic') return false
      const text = Buffer.from(given, 'base64').toString()
      if (text !== `${id}:${secret}`) {
        response
          .writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' })
          .end('{"error":"invalid_client"}')
        return true
      }
      const encoded = [id, secret].map((part) => encodeURIComponent(part)).join(':')
      request.headers.authorization = `Basic ${Buffer.from(encoded).toString('base64')}`
      return false
    }
  const only = (...methods: ClientAuthMethod[]): Variant => ({
    client: { client_secret: odd, token_endpoint_auth_method: methods[0] ?? 'client_secret_basic' },
    configuration: { clientAuthMethods: methods },
  })
  it.each<[string, Variant]>([
    ['basic alone', only('client_secret_basic')],
    ['post alone', only('client_secret_post')],
    ['a signed assertion alone', only('client_secret_jwt')],
    ['basic in its metadata, and post of this client', only('client_secret_post', 'client_secret_basic')],
    ['basic, compared undecoded', { ...only('client_secret_basic'), answers: comparesRaw(clientId, odd) }],
  ])('%s', async (_what, variant) => {
    const { signedIn } = await at(variant, { OIDC_CLIENT_SECRET: odd })
    expect(await signedIn()).toMatchObject({ kind: 'signed-in' })
    expect(await signedIn()).toMatchObject({ kind: 'signed-in' })
  })

  it.each(['Rampart staff', '123@project'])('basic, compared undecoded, with the id %s', async (id) => {
    const secret = 'nothing-in-this-secret-is-encoded'
    const { client, ...others } = { ...only('client_secret_basic'), answers: comparesRaw(id, secret) }
    const variant = { ...others, client: { ...client, client_id: id, client_secret: secret } }
    const { signedIn } = await at(variant, { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret })
    expect(await signedIn()).toMatchObject({ kind: 'signed-in' })
  })

  it('letters that may stand in a header as they are do so', async () => {
    const secret = 'a-b.c_d~e and more of it'
    const came: string[] = []
    const { signedIn } = await at(
      {
        client: { client_secret: secret },
        answers: (request) => {
          if (request.url === '/token') came.push(request.headers.authorization ?? '')
          return false
        },
      },
      { OIDC_CLIENT_SECRET: secret },
    )
    expect(await signedIn()).toMatchObject({ kind: 'signed-in' })
    expect(came.map((header) => Buffer.from(header.slice(6), 'base64').toString())).toEqual([
      `${clientId}:a-b.c_d~e+and+more+of+it`,
    ])
  })
})

describe('a provider that refuses a question is asked otherwise', () => {
  it.each([
    ['max_age', form, { prompt: 'login', max_age: null, claims: null }],
    ['claims', { next: '/team' }, { prompt: null, max_age: null, claims: null }],
  ])('%s', async (name, asked, expected) => {
    const { visited, provider } = await at({
      answers: refuses((given) => given.has(name), 'invalid_request'),
    })
    const { browser, search } = await visited({ form: asked })
    const outcome = await finish(browser, search)
    if (outcome.kind !== 'asked-anew') throw new Error(outcome.kind)
    const { searchParams } = new URL(outcome.url)
    for (const [parameter, value] of Object.entries(expected))
      expect(searchParams.get(parameter), parameter).toBe(value)
    expect(await finish(browser, await provider.visit(outcome.url))).toMatchObject({
      kind: 'signed-in',
      next: '/team',
    })
  })

  it.each([true, false])('a new sign-in, where the session is over: %s', async (isOver) => {
    const { visited, provider } = await at({
      answers: refuses((given) => given.has('prompt'), 'invalid_request'),
    })
    const { browser, search } = await visited({ form })
    let outcome = await finishSingleSignOn(search, null, browser, !isOver)
    for (let times = 0; outcome.kind === 'asked-anew' && times < 3; times++)
      outcome = await finishSingleSignOn(await provider.visit(outcome.url), null, browser, !isOver)
    const refused = { kind: 'refused', why: 'sso-asks-not-again', again: true }
    expect(outcome).toMatchObject(isOver ? { kind: 'signed-in', next: '/team' } : refused)
  })

  it('pushed requests, by its metadata', async () => {
    const { signedIn, provider } = await at({
      configuration: {
        features: {
          devInteractions: { enabled: false },
          pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
        },
      },
    })
    expect(await signedIn(form)).toMatchObject({ kind: 'signed-in', next: '/team' })
    expect(provider.state.asked.at(-1)?.searchParams.has('request_uri')).toBe(true)
  })

  it('pushed requests, of this client alone', async () => {
    const { visited, provider, signedIn } = await at({
      client: { require_pushed_authorization_requests: true },
    })
    const { browser, search } = await visited({ form })
    const outcome = await finish(browser, search)
    if (outcome.kind !== 'asked-anew') throw new Error(outcome.kind)
    expect(await finish(browser, await provider.visit(outcome.url))).toMatchObject({ kind: 'signed-in' })
    // The way is known from then on.
    expect(await signedIn(form)).toMatchObject({ kind: 'signed-in', next: '/team' })
  })

  it('for another account, after a refusal of this one', async () => {
    const { visited, provider } = await at({})
    const { browser, search } = await visited({ form: { another: true } })
    // This provider knows no choice of accounts, so it is asked to let the person sign in.
    const outcome = await finish(browser, search)
    if (outcome.kind !== 'asked-anew') throw new Error(outcome.kind)
    expect(await finish(browser, await provider.visit(outcome.url))).toMatchObject({ kind: 'signed-in' })
    expect(provider.state.asked.map(({ searchParams }) => searchParams.get('prompt'))).toEqual([
      'select_account',
      'login',
    ])
    expect(asksForAnother('sso-no-role')).toBe(true)
    expect(asksForAnother('sso-declined')).toBe(true)
    expect(asksForAnother('sso-provider-down')).toBe(false)
  })

  it('for another account, where it can offer a choice', async () => {
    const { provider } = await at({
      configuration: { discovery: { prompt_values_supported: ['none', 'login', 'select_account'] } },
    })
    const { url } = await beginSingleSignOn({ another: true }, newBrowser())
    expect(new URL(url).searchParams.get('prompt')).toBe('select_account')
    expect(url).toContain(provider.issuer)
  })
})

it('a provider where the sign-in ended meanwhile is asked the same once more', async () => {
  const came: URLSearchParams[] = []
  const isFirst = (asked: URLSearchParams) => came.push(asked) === 1
  const { visited, provider } = await at({ answers: refuses(isFirst, ...endedThere) })
  const { browser, search } = await visited({ form })
  const outcome = await finish(browser, search)
  if (outcome.kind !== 'asked-anew') throw new Error(outcome.kind)
  expect(await finish(browser, await provider.visit(outcome.url))).toMatchObject({
    kind: 'signed-in',
    next: '/team',
  })
  const [first, second] = came.map((asked) => Object.fromEntries(asked))
  const own = { state: expect.any(String), nonce: expect.any(String), code_challenge: expect.any(String) }
  expect(second).toEqual({ ...first, ...own })
  expect(second).toMatchObject({ prompt: 'login', max_age: '0' })
  expect(came[1]?.get('state')).not.toBe(came[0]?.get('state'))
})

it('a new signing key is asked for at once', async () => {
  const { signedIn, provider } = await at({})
  expect(await signedIn()).toMatchObject({ kind: 'signed-in' })
  provider.rotateKey()
  expect(await signedIn()).toMatchObject({ kind: 'signed-in' })
  provider.rotateKey()
  expect(await signedIn(form)).toMatchObject({ kind: 'signed-in' })
})
