import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { freePort } from '../../../bin/postgres.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { clientId, clientSecret, startIdentityProvider } from '../../../test/identity-provider.ts'
import { captureLog } from '../../../test/log.ts'
import { callerOf } from '../../../test/single-sign-on.ts'
import { createSetUpLink } from '../links/access-links.ts'
import { invite, listInvitations, withdrawInvitation } from '../links/invitations.ts'
import { finishSetUp } from '../links/join-team.ts'
import { openLink } from '../links/set-up.ts'
import { readSetUpSession } from '../sessions/read-session.ts'
import { beginSingleSignOn } from './begin-single-sign-on.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'

const publicUrl = 'http://localhost:3000'
let port = 0
let database: TestConfiguration
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
beforeAll(async () => {
  port = await freePort()
  database = await startDatabase({
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: `http://localhost:${port}`,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'Example login',
  })
})
afterAll(async () => {
  await provider.stop()
  await database.stop()
})
beforeEach(() => pool().query('TRUNCATE member, session, sso_attempt, access_link'))

const admin = callerWith('admin')
const isDown = { message: 'Example login cannot be reached at the moment.' }
const isElsewhere = { message: 'Example login has another address than is set here.' }

async function visited(browser = newBrowser()) {
  const { url } = await beginSingleSignOn({}, browser)
  return { browser, search: await provider.visit(url) }
}

/** The caller has opened this link. */
async function settingUp(link: string | null) {
  const token = new URL(link ?? 'http://none').hash.slice(1)
  const session = await openLink({ token }, newBrowser())
  const caller = await readSetUpSession(session.token, new Date())
  if (!caller) throw new Error('nobody is setting up')
  return caller
}

const invited = async () =>
  settingUp(
    (await invite(admin, { name: 'Kai', email: undefined, role: 'auditor', reason: 'a test' }, newBrowser()))
      .link,
  )

// There is no provider at all yet.
it('a provider that is down is told as that, before anybody goes there', async () => {
  const logged = captureLog()
  await expect(beginSingleSignOn({}, newBrowser())).rejects.toMatchObject(isDown)
  logged.stop()
  expect(logged.lines).toMatchObject([{ level: 'warn', component: 'single-sign-on' }])
})

it.each([
  ['no JSON', isElsewhere, 200, '<html>'],
  ['an error', isDown, 500, '{}'],
  [
    'another issuer',
    isElsewhere,
    200,
    '{"issuer":"https://evil.example","authorization_endpoint":"https://evil.example"}',
  ],
])('a provider that answers nonsense is told as that: %s', async (_what, refusal, status, body) => {
  const server = http.createServer((_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  )
  server.listen(port, 'localhost')
  await once(server, 'listening')
  const logged = captureLog()
  await expect(beginSingleSignOn({}, newBrowser())).rejects.toMatchObject(refusal)
  logged.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

it('is up again without a restart, and lets in nobody who was not invited', async () => {
  provider = await startIdentityProvider(port, `${publicUrl}/api/single-sign-on/callback`)
  provider.state.account = { sub: crypto.randomUUID(), name: 'Kai Newman', email: 'kai@example.com' }
  const { browser, search } = await visited()
  expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-not-invited' })
  expect(await prisma().member.count()).toBe(0)
})

it('whoever opened an invitation is a member by it, and signs in without it from then on', async () => {
  const caller = await invited()
  const { browser, search } = await visited()
  const joined = await callerOf(await finishSingleSignOn(search, caller, browser))
  expect(joined).toMatchObject({ name: 'Kai', role: 'auditor', method: 'sso', email: 'kai@example.com' })
  const later = await visited()
  expect(await callerOf(await finishSingleSignOn(later.search, null, later.browser))).toMatchObject({
    memberId: joined?.memberId,
    role: 'auditor',
  })
  expect(await listInvitations(admin)).toEqual([])
})

it('whoever joined by an invitation to their address is the same member, with the same role, where it is verified', async () => {
  const form = { name: 'Kai', email: 'kai@example.com', role: 'auditor', reason: 'a test' } as const
  const caller = await settingUp((await invite(admin, form, newBrowser())).link)
  await inTransaction(pool(), (tx) => finishSetUp(tx, caller, 'passkey', newBrowser()))
  const account = { sub: crypto.randomUUID(), email: 'kai@example.com' }
  const comes = async (email_verified: boolean) => {
    provider.state.account = { ...account, email_verified }
    const { browser, search } = await visited()
    return finishSingleSignOn(search, null, browser)
  }
  expect(await comes(false)).toMatchObject({ why: 'sso-known-address' })
  expect(await callerOf(await comes(true))).toMatchObject({ memberId: caller.memberId, role: 'auditor' })
  provider.state.account = { sub: crypto.randomUUID(), name: 'Kai Newman', email: 'kai@example.com' }
})

it('the first admin may set up by single sign-on, under the name that the provider knows', async () => {
  const caller = await settingUp(await createSetUpLink(pool(), new URL(publicUrl)))
  const { browser, search } = await visited()
  expect(await callerOf(await finishSingleSignOn(search, caller, browser))).toMatchObject({
    name: 'Kai Newman',
    role: 'admin',
  })
})

it('an invitation that was withdrawn meanwhile makes nobody a member', async () => {
  const caller = await invited()
  const { browser, search } = await visited()
  const [listed] = await listInvitations(admin)
  await withdrawInvitation(admin, { invitationId: listed?.id ?? '' }, newBrowser())
  expect(await finishSingleSignOn(search, caller, browser)).toMatchObject({ why: 'sso-link-gone' })
  expect(await prisma().member.count()).toBe(0)
})

it('somebody who was removed gets in by a new invitation alone', async () => {
  const first = await visited()
  await finishSingleSignOn(first.search, await invited(), first.browser)
  await prisma().member.updateMany({ data: { removedAt: new Date() } })
  const second = await visited()
  expect(await finishSingleSignOn(second.search, null, second.browser)).toMatchObject({ why: 'sso-removed' })
  const third = await visited()
  expect(
    await callerOf(await finishSingleSignOn(third.search, await invited(), third.browser)),
  ).toMatchObject({
    role: 'auditor',
  })
})

it('a provider that goes down on the way back is told as that', async () => {
  const { browser, search } = await visited()
  await provider.stop()
  const logged = captureLog()
  expect(await finishSingleSignOn(search, null, browser)).toMatchObject({ why: 'sso-provider-down' })
  logged.stop()
})
