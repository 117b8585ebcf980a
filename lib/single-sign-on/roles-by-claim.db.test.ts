import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readSession } from '#lib/auth/read-session.ts'
import { pool } from '#lib/db/pool.ts'
import { prisma } from '#lib/db/prisma.ts'
import { isFreshlySignedIn } from '#lib/request/require-fresh-sign-in.ts'
import { freePort } from '../../bin/postgres.ts'
import { newBrowser } from '../../test/callers.ts'
import { clientId, clientSecret, startIdentityProvider } from '../../test/identity-provider.ts'
import { captureLog } from '../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { beginSingleSignOn } from './begin-single-sign-on.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'

let database: TestDatabase
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
beforeAll(async () => {
  database = await createTestDatabase()
  const port = await freePort()
  const publicUrl = 'http://localhost:3000'
  provider = await startIdentityProvider(port, `${publicUrl}/api/single-sign-on/callback`)
  configure({
    DATABASE_URL: database.url,
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_SCOPE: 'openid profile email groups',
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLE_MAP: 'rampart-admins=admin, helpdesk=support',
  })
})
afterAll(async () => {
  await provider.stop()
  await prisma().$disconnect()
  await pool().end()
  await database.drop()
})
beforeEach(async () => {
  await pool().query('TRUNCATE member, session, sso_attempt')
  Object.assign(provider.state, {
    account: { sub: crypto.randomUUID(), name: 'Kim', email: 'kim@example.com', groups: ['helpdesk'] },
    tamper: null,
    tokenAnswer: null,
  })
})

/** As far as the answer that a browser brings back. */
async function visited(browser = newBrowser(), form = {}) {
  const { url } = await beginSingleSignOn(form, browser)
  return { browser, search: await provider.visit(url) }
}

async function signedIn(form = {}) {
  const { browser, search } = await visited(newBrowser(), form)
  return finishSingleSignOn(search, null, browser)
}

async function callerOf(outcome: Awaited<ReturnType<typeof signedIn>>) {
  if (outcome.kind !== 'signed-in') throw new Error(outcome.why)
  return readSession(outcome.token, new Date())
}

describe('a role by claim', () => {
  it('makes a member of whoever comes for the first time, and knows them the next time', async () => {
    const first = await callerOf(await signedIn())
    expect(first).toMatchObject({
      role: 'support',
      name: 'Kim',
      email: 'kim@example.com',
      userUuid: null,
      method: 'sso',
    })
    const second = await callerOf(await signedIn())
    expect(second?.memberId).toBe(first?.memberId)
    expect(await prisma().member.count()).toBe(1)
    const done = await prisma().audit.findMany({ where: { actor: first?.id ?? '' }, orderBy: { id: 'asc' } })
    expect(done.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'member.join done',
      'session.start done',
      'session.start done',
    ])
  })

  it('goes on where the person wanted to go', async () => {
    expect(await signedIn({ next: '/transactions?step=FAILED' })).toMatchObject({
      next: '/transactions?step=FAILED',
    })
  })

  it('refuses whom it maps to nothing, and keeps nothing of them', async () => {
    provider.state.account = { sub: 'x', groups: ['everybody'] }
    expect(await signedIn()).toMatchObject({ kind: 'refused', why: 'sso-no-role' })
    expect(await prisma().member.count()).toBe(0)
    expect(await prisma().audit.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({
      action: 'session.start',
      outcome: 'refused',
      details: { method: 'sso', why: 'sso-no-role' },
    })
  })

  it('that changes ends the sessions of the role before', async () => {
    const before = await signedIn()
    expect(await callerOf(before)).toMatchObject({ role: 'support' })
    Object.assign(provider.state.account, { groups: ['rampart-admins'] })
    expect(await callerOf(await signedIn())).toMatchObject({ role: 'admin' })
    expect(await callerOf(before)).toBeNull()
    expect(await prisma().audit.findFirst({ where: { action: 'member.role' } })).toMatchObject({
      actor: null,
      details: { by: 'single sign-on', before: 'support', after: 'admin' },
    })
  })

  it('that is taken away ends all sessions and lets nobody in, until it is given again', async () => {
    const before = await signedIn()
    Object.assign(provider.state.account, { groups: [] })
    expect(await signedIn()).toMatchObject({ kind: 'refused', why: 'sso-no-role' })
    expect(await callerOf(before)).toBeNull()
    Object.assign(provider.state.account, { groups: 'helpdesk' })
    expect(await callerOf(await signedIn())).toMatchObject({ role: 'support' })
    expect(await prisma().member.count()).toBe(1)
  })

  it('brings nobody back whom an admin removed', async () => {
    await signedIn()
    await prisma().member.updateMany({ data: { removedAt: new Date() } })
    expect(await signedIn()).toMatchObject({ kind: 'refused', why: 'sso-removed' })
  })
})

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
    const { browser, search } = await visited()
    provider.state.tamper = tamper
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
    const { browser, search } = await visited()
    provider.state.tamper = forged({})
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ kind: 'signed-in' })
  })

  it('with another state signs nobody in', async () => {
    const { browser, search } = await visited()
    const other = new URLSearchParams(search)
    other.set('state', 'another')
    expect(await finishSingleSignOn(`?${other}`, null, browser)).toMatchObject({ why: 'sso-unknown' })
    other.delete('state')
    expect(await finishSingleSignOn(`?${other}`, null, browser)).toMatchObject({ why: 'sso-unknown' })
  })

  it('that another browser asked for signs nobody in: a stranger’s link is worth nothing', async () => {
    const { search } = await visited()
    const victim = newBrowser()
    await visited(victim)
    expect(await finishSingleSignOn(search, null, victim)).toMatchObject({ why: 'sso-unknown' })
    const unknown = { ...victim, browserId: null }
    expect(await finishSingleSignOn(search, null, unknown)).toMatchObject({ why: 'sso-unknown' })
  })

  it('is taken once', async () => {
    const { browser, search } = await visited()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ kind: 'signed-in' })
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-unknown' })
    expect(await prisma().session.count()).toBe(1)
  })

  it('is taken once, however many requests bring it at the same time', async () => {
    const { browser, search } = await visited()
    const both = await Promise.all([1, 2].map(() => finishSingleSignOn(search, null, browser)))
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['refused', 'signed-in'])
  })

  it('with a stolen code signs nobody in: the code is bound to the browser that asked', async () => {
    const stolen = new URLSearchParams((await visited()).search)
    const { browser, search } = await visited()
    const own = new URLSearchParams(search)
    own.set('code', stolen.get('code') ?? '')
    const logged = captureLog()
    expect(await finishSingleSignOn(`?${own}`, null, browser)).toMatchObject({ why: 'sso-refused' })
    logged.stop()
  })

  it('that comes too late signs nobody in', async () => {
    const { browser, search } = await visited()
    await pool().query(`UPDATE sso_attempt SET expires_at = now() - interval '1 s'`)
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-unknown' })
  })

  it.each([
    ['is no JSON', '<html>'],
    ['holds no identity token', '{"access_token":"x","token_type":"bearer"}'],
    ['is a list', '[]'],
  ])('that %s is refused', async (_what, tokenAnswer) => {
    const { browser, search } = await visited()
    provider.state.tokenAnswer = tokenAnswer
    const logged = captureLog()
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-refused' })
    logged.stop()
  })

  it('that the person cancelled is told as that', async () => {
    const browser = newBrowser()
    const { url } = await beginSingleSignOn({}, browser)
    const state = new URL(url).searchParams.get('state')
    const search = `?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`
    expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-declined' })
  })
})

describe('how fresh a sign-in is', () => {
  it('is what the provider says, so that an old session there is no new proof', async () => {
    const { browser, search } = await visited()
    const anHourAgo = Math.floor(Date.now() / 1000) - 3600
    provider.state.tamper = (claims) => ({ claims: { ...claims, auth_time: anHourAgo } })
    const caller = await callerOf(await finishSingleSignOn(search, null, browser))
    expect(caller?.signedInAt).toBe(new Date(anHourAgo * 1000).toISOString())
    expect(caller && isFreshlySignedIn(caller)).toBe(false)
    provider.state.tamper = null
    expect((await beginSingleSignOn({ again: true }, newBrowser())).url).toContain('prompt=login')
    const again = await callerOf(await signedIn({ again: true }))
    expect(again && isFreshlySignedIn(again)).toBe(true)
  })
})
