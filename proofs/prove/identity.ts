import crypto from 'node:crypto'
import { failedResult, passedResult, type Result, sumResults } from '../../bin/check/result.ts'
import { freePort } from '../../bin/postgres.ts'
import { signInMessages } from '../../lib/identity/labels/sign-in-messages.ts'
import { clientId, clientSecret, startIdentityProvider } from '../../test/identity-provider.ts'
import { type NextServer, startServer } from '../../test/next-server.ts'
import { openTestBed, type TestBed } from './faults/test-bed.ts'
import { proveGlewlwyd } from './identity/glewlwyd.ts'
import { type IdentityCase, identityCases, type Visit, Walk } from './identity/variants.ts'

export const when = 'single sign-on changed, or a library that it uses; three minutes'

/**
 * The proof signs in at real providers before the built server: npm’s `oidc-provider` in one variant after the other, and
 * Debian’s Glewlwyd where it is installed. Each ends signed in, or refused with its cause.
 * @param words names of variants, or `glewlwyd`; all by default
 */
export default async function proveIdentity(words: string[]): Promise<Result> {
  const stage = await openTestBed('identity')
  const results: Result[] = []
  const run = async (name: string, prove: () => Promise<string>) => {
    if (words.length > 0 && !words.includes(name)) return
    try {
      console.log(`${name}: ${await prove()}`)
      results.push(passedResult)
    } catch (error) {
      console.error(`${name}: FAILED`, error)
      results.push(failedResult(`identity ${name}`, error))
    }
  }
  try {
    for (const one of identityCases) await run(one.name, () => proveCase(stage, one))
    await run('glewlwyd', () => proveGlewlwyd(stage))
  } finally {
    await stage.close()
  }
  return sumResults(results)
}

async function proveCase(
  stage: TestBed,
  { variant, settings, claims, comes, neverAgain }: IdentityCase,
): Promise<string> {
  await stage.ask('TRUNCATE member, session, sso_attempt, rate_limit')
  const port = await freePort()
  const server = await startServer(stage.url, {
    OIDC_ISSUER: `http://localhost:${port}${variant.path ?? ''}`,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_SCOPE: 'openid profile email groups',
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLE_MAP: 'rampart-admins=admin,helpdesk=support',
    ...settings,
  })
  const provider = await startIdentityProvider(port, `${server.url}/api/single-sign-on/callback`, variant)
  const account = { sub: crypto.randomUUID(), name: 'Kim', groups: ['rampart-admins'], ...claims }
  provider.state.account = account
  try {
    const walk = new Walk(server)
    const came = await walk.signIn(provider.visit, { next: '/team' })
    if (comes !== 'signed-in') return await proveRefusal(walk, comes, came)
    if (came !== '/signed-in?next=%2Fteam') throw new Error(`It led to ${came}`)
    await proveFresh(server, stage, walk, provider.visit, neverAgain === true)
    if (!neverAgain) await proveOtherRole(server, provider)
    await proveKey(server, provider)
    return await proveSignOut(server, walk, provider)
  } finally {
    await provider.stop()
    await server.stop()
  }
}

async function proveRefusal(walk: Walk, why: keyof typeof signInMessages, came: string): Promise<string> {
  const { title } = signInMessages[why]
  if (came.startsWith('/')) {
    if (came !== `/sign-in?refused=${why}&next=%2Fteam`) throw new Error(`It led to ${came}`)
    if (!(await walk.words(came)).includes(title)) throw new Error(`The page does not say “${title}”`)
  } else if (!came.includes(title.replace('Single sign-on', '').trim()))
    throw new Error(`The button says ${came}`)
  if (await walk.isSignedIn()) throw new Error('Somebody is signed in')
  return `refused: ${title}`
}

/** A person who is asked again then has a fresh sign-in, or reads why not and stays signed in. */
async function proveFresh(server: NextServer, stage: TestBed, walk: Walk, visit: Visit, isRefused: boolean) {
  await stage.ask(`UPDATE session SET signed_in_at = now() - interval '1 hour'`)
  const came = await walk.signIn(visit, { next: '/team', again: true })
  if (isRefused) {
    if (came !== '/sign-in?refused=sso-asks-not-again&again=1&next=%2Fteam')
      throw new Error(`It led to ${came}`)
    const page = await walk.words(came)
    if (!page.includes(signInMessages['sso-asks-not-again'].title))
      throw new Error('The page hides the refusal')
    if (!(await walk.isSignedIn())) throw new Error('The refusal signed somebody out')
    return
  }
  const unproved = '/sign-in?refused=sso-not-again&again=1&next=%2Fteam'
  if (came !== '/signed-in?next=%2Fteam' && came !== unproved)
    throw new Error(`Asked again, it led to ${came}`)
  const [row] = await stage.ask<{ fresh: boolean }>(
    `SELECT bool_or(signed_in_at > now() - interval '1 minute') AS fresh FROM session WHERE ended_at IS NULL`,
  )
  if (row?.fresh !== (came !== unproved))
    throw new Error(`Fresh is ${row?.fresh} after ${came} at ${server.url}`)
}

type TestProvider = Awaited<ReturnType<typeof startIdentityProvider>>

/** Another role counts from the next sign-in on. A second admin lets the first one lose theirs. */
async function proveOtherRole(server: NextServer, provider: TestProvider) {
  const { account } = provider.state
  provider.state.account = { sub: crypto.randomUUID(), name: 'Ana', groups: ['rampart-admins'] }
  await new Walk(server).signIn(provider.visit, {})
  provider.state.account = { ...account, groups: ['helpdesk'] }
  const walk = new Walk(server)
  await walk.signIn(provider.visit, {})
  if ((await walk.ask('/team')).status !== 403) throw new Error('The role of before counts still')
}

async function proveKey(server: NextServer, provider: TestProvider) {
  provider.rotateKey()
  const came = await new Walk(server).signIn(provider.visit, {})
  if (came !== '/signed-in?') throw new Error(`With a new key it led to ${came}`)
}

/** Signing out here leads to the provider, and an end there ends the session here. */
async function proveSignOut(server: NextServer, walk: Walk, provider: TestProvider): Promise<string> {
  const other = new Walk(server)
  await other.signIn(provider.visit, {})
  await walk.signIn(provider.visit, {})
  const url = await walk.signOut()
  const said = await fetch(url)
  if (said.status !== 200 || (await walk.isSignedIn()))
    throw new Error(`Signed out at ${url}: ${said.status}`)
  const kid = provider.rotateKey()
  const logout_token = provider.logoutToken({ sub: provider.state.account.sub }, { kid })
  const reported = await walk.ask('/api/single-sign-on/back-channel-logout', {
    method: 'POST',
    body: new URLSearchParams({ logout_token }),
  })
  if (reported.status !== 200 || (await other.isSignedIn()))
    throw new Error(`A logout token was answered ${reported.status}`)
  return 'signed in, asked again, another role, a new key, signed out at both ends'
}
