import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { newBrowser } from '../../../test/callers.ts'
import { startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { startSession } from '../sessions/open-session.ts'
import { endSession, readSession } from '../sessions/read-session.ts'
import { endByProvider, findProviderSignOut } from './provider-sessions.ts'

let sso: TestSingleSignOn
beforeAll(async () => {
  sso = await startSingleSignOn()
})
beforeEach(() => sso.startOver())
afterAll(() => sso.stop())

const sub = () => sso.provider.state.account.sub
const logout = (claims: Record<string, unknown>) =>
  endByProvider(sso.provider.logoutToken(claims), newBrowser())

async function signIn(): Promise<string> {
  const outcome = await sso.signedIn()
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return outcome.token
}

/** Somebody unlocks the page by a passkey: usually whoever signed in before. */
async function unlock(before: string, memberId?: string): Promise<string> {
  const caller = await readSession(before, new Date())
  const who = { userUuid: null, memberId: memberId ?? caller?.memberId ?? null, serviceSessionId: null }
  const signedIn = { ...who, method: 'passkey', role: 'support' } as const
  await pool().query(`UPDATE session SET idle_expires_at = now() - interval '1 hour'`)
  const token = await inTransaction(pool(), (tx) => startSession(tx, signedIn, newBrowser()))
  await endSession(before, 'replaced', newBrowser(), token)
  return token
}

it.each([1, 2])(
  'a session that replaced one of single sign-on leads to the provider when it is signed out, after %i of them',
  async (times) => {
    let token = await signIn()
    const before = token
    for (let n = 0; n < times; n++) token = await unlock(token)
    await endSession(token, 'signed-out', newBrowser())
    const url = new URL((await findProviderSignOut(token)) ?? '')
    const [, payload = ''] = (url.searchParams.get('id_token_hint') ?? '').split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ sub: sub() })
    expect(await findProviderSignOut(before)).toBeNull()
  },
)

it.each([undefined, 'theirs'])(
  'a session that replaced one of single sign-on ends at the provider, which calls its session %s',
  async (sid) => {
    sso.provider.state.tamper = (claims) => ({ claims: { ...claims, ...(sid ? { sid } : {}) } })
    const token = await unlock(await signIn())
    expect(await logout({ sub: sub(), sid: 'another' })).toMatchObject({ sessions: sid ? 0 : 1 })
    expect(await logout(sid ? { sid } : { sub: sub() })).toMatchObject({ sessions: sid ? 1 : 0 })
    expect(await readSession(token, new Date())).toBeNull()
  },
)

it('a session that replaced one of single sign-on has nothing of the provider when it is somebody else’s', async () => {
  const memberId = crypto.randomUUID()
  await prisma().member.create({ data: { id: memberId, name: 'Lee', role: 'support' } })
  const token = await unlock(await signIn(), memberId)
  expect(await findProviderSignOut(token)).toBeNull()
  expect(await logout({ sub: sub() })).toMatchObject({ sessions: 0 })
})

it('a session that replaced one of single sign-on keeps its own session at the provider when it began there, too', async () => {
  const names = ['first', 'second']
  sso.provider.state.tamper = (claims) => ({ claims: { ...claims, sid: names.shift() } })
  const [first, second] = [await signIn(), await signIn()]
  await endSession(first, 'replaced', newBrowser(), second)
  expect(await logout({ sid: 'first' })).toMatchObject({ sessions: 0 })
  expect(await logout({ sid: 'second' })).toMatchObject({ sessions: 1 })
})
