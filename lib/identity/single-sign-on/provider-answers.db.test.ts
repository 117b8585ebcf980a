import crypto from 'node:crypto'
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { newBrowser } from '../../../test/callers.ts'
import { reconnect } from '../../../test/database.ts'
import { clientId } from '../../../test/identity-provider.ts'
import { captureLog } from '../../../test/log.ts'
import { startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { BeginSingleSignOnSchema, beginSingleSignOn } from './begin-single-sign-on.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'

let sso: TestSingleSignOn
beforeAll(async () => {
  sso = await startSingleSignOn()
})
afterAll(() => sso.stop())
beforeEach(() => sso.startOver())

describe('an answer of the provider', () => {
  const forged = (change: Record<string, unknown>) => (claims: Record<string, unknown>) => ({
    claims: { ...claims, ...change },
  })
  const past = Math.floor(Date.now() / 1000) - 3600

  it.each([
    ['another issuer', forged({ iss: 'https://evil.example' })],
    ['another audience', forged({ aud: 'another-client' })],
    ['several audiences, for another party', forged({ aud: [clientId, 'another'], azp: 'another' })],
    ['another nonce', forged({ nonce: 'another' })],
    ['no nonce', forged({ nonce: undefined })],
    ['an expiry in the past', forged({ exp: past, iat: past - 60 })],
    ['nobody', forged({ sub: undefined })],
    [
      'the signature of another key',
      (claims: Record<string, unknown>) => ({
        claims,
        key: crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      }),
    ],
  ])('whose identity token has %s signs nobody in', async (_what, tamper) => {
    const { browser, search } = await sso.visited()
    sso.provider.state.tamper = tamper
    const logged = captureLog()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({
      kind: 'refused',
      why: 'sso-refused',
    })
    logged.stop()
    expect(logged.lines).toMatchObject([{ level: 'warn', component: 'single-sign-on' }])
    expect(await prisma().member.count()).toBe(0)
    expect(await prisma().session.count()).toBe(0)
  })

  it('is taken as it is when nothing is forged: the tests above prove something', async () => {
    const { browser, search } = await sso.visited()
    sso.provider.state.tamper = forged({})
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ kind: 'signed-in' })
  })

  it.each(['Asia/Kolkata', 'America/New_York'])('is taken in a database of the zone %s', async (zone) => {
    const { rows } = await pool().query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
    const name = rows[0]?.name
    await pool().query(`ALTER DATABASE ${name} SET TimeZone = '${zone}'`)
    await reconnect()
    const { browser, search } = await sso.visited()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ kind: 'signed-in' })
    const late = await sso.visited()
    await pool().query(`UPDATE sso_attempt SET expires_at = now() - interval '1 second'`)
    expect(await finishSingleSignOn(late.search, null, late.browser)).toMatchObject({ why: 'sso-expired' })
    await pool().query(`ALTER DATABASE ${name} RESET TimeZone`)
    await reconnect()
  })

  it('with another state signs nobody in', async () => {
    const { browser, search } = await sso.visited()
    const other = new URLSearchParams(search)
    other.set('state', 'another')
    expect(await finishSingleSignOn(`?${other}`, null, browser)).toMatchObject({ why: 'sso-unknown' })
    other.delete('state')
    expect(await finishSingleSignOn(`?${other}`, null, browser)).toMatchObject({ why: 'sso-unknown' })
  })

  it('that another browser asked for signs nobody in: a stranger’s link is worth nothing', async () => {
    const { search } = await sso.visited()
    const victim = newBrowser()
    await sso.visited({ browser: victim })
    expect(await finishSingleSignOn(search, null, victim)).toMatchObject({ why: 'sso-unknown' })
  })

  it('from a browser without any cookie of ours says that cookies are missing', async () => {
    const { browser, search } = await sso.visited()
    const without = { ...browser, browserId: null }
    expect(await finishSingleSignOn(search, null, without)).toMatchObject({ why: 'no-cookies' })
    expect(await finishSingleSignOn('?code=x&state=y', null, without)).toMatchObject({ why: 'sso-unknown' })
    expect(await prisma().session.count()).toBe(0)
  })

  it('is taken once', async () => {
    const { browser, search } = await sso.visited()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ kind: 'signed-in' })
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-unknown' })
    expect(await prisma().session.count()).toBe(1)
  })

  it('is taken once, however many requests bring it at the same time', async () => {
    const { browser, search } = await sso.visited()
    const both = await Promise.all([1, 2].map(() => finishSingleSignOn(search, null, browser)))
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['refused', 'signed-in'])
  })

  it('with a stolen code signs nobody in: the code is bound to the browser that asked', async () => {
    const stolen = new URLSearchParams((await sso.visited()).search)
    const { browser, search } = await sso.visited()
    const own = new URLSearchParams(search)
    own.set('code', stolen.get('code') ?? '')
    const logged = captureLog()
    expect(await finishSingleSignOn(`?${own}`, null, browser)).toMatchObject({ why: 'sso-refused' })
    logged.stop()
  })

  it('with a code that was asked for by somebody else signs nobody in, though state and nonce fit (PKCE)', async () => {
    const code_challenge = await calculatePKCECodeChallenge(randomPKCECodeVerifier())
    const { browser, search } = await sso.visited({ parameters: { code_challenge } })
    const logged = captureLog()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-refused' })
    logged.stop()
    expect(logged.lines).toMatchObject([{ said: 'invalid_grant' }])
  })

  it('that names another provider signs nobody in', async () => {
    const { browser, search } = await sso.visited()
    const other = new URLSearchParams(search)
    other.set('iss', 'https://evil.example')
    const logged = captureLog()
    expect(await finishSingleSignOn(`?${other}`, null, browser)).toMatchObject({ why: 'sso-refused' })
    logged.stop()
  })

  it('that comes too late signs nobody in', async () => {
    const { browser, search } = await sso.visited()
    await pool().query(`UPDATE sso_attempt SET expires_at = now() - interval '1 s'`)
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-expired' })
  })

  it.each([-90, -20, 20, 90])(
    'may take fifteen minutes where the clocks here are %s minutes ahead of the database’s',
    async (ahead) => {
      const at = (minutes: number) =>
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000, shouldAdvanceTime: true })
      at(ahead)
      try {
        const [one, other] = [await sso.visited(), await sso.visited()]
        expect(await finishSingleSignOn(one.search, null, one.browser)).toMatchObject({ kind: 'signed-in' })
        at(16)
        expect(await finishSingleSignOn(other.search, null, other.browser)).toMatchObject({
          why: 'sso-expired',
        })
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it.each([
    ['is no JSON', '<html>'],
    ['holds no identity token', '{"access_token":"x","token_type":"bearer"}'],
    ['is a list', '[]'],
  ])('that %s is refused', async (_what, tokenAnswer) => {
    const { browser, search } = await sso.visited()
    sso.provider.state.tokenAnswer = tokenAnswer
    const logged = captureLog()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-refused' })
    logged.stop()
  })

  it.each([
    ['/users?x=%00#a', '/users?x=%00#a'],
    ['/\0', '/'],
    ['//evil.example', '/'],
    ['https://evil.example', '/'],
    ['/sign-in?next=/', '/'],
  ])('leads on to a page of ours alone: from %j to %s', async (next, path) => {
    const { browser, search } = await sso.visited({ form: { next } })
    expect(await prisma().ssoAttempt.findFirst()).toMatchObject({ next: path })
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ kind: 'signed-in', next: path })
  })

  it('leads on to the first page when the address is too long to continue at', async () => {
    const form = BeginSingleSignOnSchema.parse({ next: `/users?x=${'y'.repeat(2_000)}` })
    await beginSingleSignOn(form, newBrowser())
    expect(await prisma().ssoAttempt.findFirst()).toMatchObject({ next: '/' })
  })

  it('whose name has half a character signs a newcomer in, under another name', async () => {
    const email = 'kim@example.com'
    expect(await sso.comes({ sub: 'kim', name: 'Kim\ud83d', email, groups: ['helpdesk'] })).toMatchObject({
      kind: 'signed-in',
    })
    expect(await prisma().member.findFirst()).toMatchObject({ name: email })
  })

  it('that the provider lets nobody in is told as that', async () => {
    const browser = newBrowser()
    const { url } = await beginSingleSignOn({}, browser)
    const state = new URL(url).searchParams.get('state')
    const search = `?error=access_denied&state=${state}&iss=${encodeURIComponent(sso.provider.issuer)}`
    const logged = captureLog()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-declined' })
    logged.stop()
  })
})
