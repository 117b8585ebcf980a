import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { prisma } from '#lib/platform/db/prisma.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { captureLog } from '../../../test/log.ts'
import { callerOf, startSingleSignOn, type TestSingleSignOn } from '../../../test/single-sign-on.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'
import { readReports, testSingleSignOn } from './reports.ts'

let sso: TestSingleSignOn
beforeAll(async () => {
  sso = await startSingleSignOn()
})
afterAll(() => sso.stop())
beforeEach(() => sso.startOver())

const admin = callerWith('admin')

async function tested(caller = admin) {
  const browser = newBrowser()
  const { url } = await testSingleSignOn(caller, {}, browser)
  return finishSingleSignOn(await sso.provider.visit(url), null, browser)
}

it('a test shows the claims of whoever made it, the role and how fresh it is, and changes nothing', async () => {
  const before = await sso.comes({ sub: 'kim', name: 'Kim', groups: ['helpdesk'] })
  sso.provider.state.account = {
    sub: 'kim',
    name: 'Kim Newman',
    email: 'kim@example.com',
    email_verified: true,
    groups: ['everybody', 'rampart-admins'],
  }
  sso.provider.state.tamper = (claims) => ({ claims: { ...claims, address: { city: 'Lisbon' } } })
  const counts = async () => [await prisma().session.count(), await prisma().adminNotice.count()]
  const held = await counts()
  expect(await tested()).toEqual({ kind: 'tested' })
  const { test } = await readReports(admin)
  expect(test).toMatchObject({
    why: null,
    identityToken: expect.arrayContaining(['iss', 'sub', 'auth_time', 'address.city']),
    userInfo: expect.arrayContaining(['sub', 'name', 'email', 'groups']),
    role: { claim: 'groups', said: 'role', role: 'admin', value: '["everybody","rampart-admins"]' },
    read: { subject: 'kim', name: 'Kim Newman', email: 'kim@example.com', emailVerified: true },
    isFresh: true,
    clockDifference: 0,
  })
  expect(JSON.stringify(test)).not.toContain('Lisbon')
  expect(await callerOf(before)).toMatchObject({ role: 'support', name: 'Kim' })
  expect(await counts()).toEqual(held)
})

it.each([
  [{}, 'sso-role-not-sent', 'not-sent'],
  [{ groups: 'a,rampart-admins' }, 'sso-role-unreadable', 'unreadable'],
  [{ groups: ['everybody'] }, 'sso-no-role', 'none'],
])('a test of %j says what is in the way', async (account, why, said) => {
  sso.provider.state.account = { sub: 'kim', ...account }
  expect(await tested()).toEqual({ kind: 'tested' })
  expect((await readReports(admin)).test).toMatchObject({ why, role: { said } })
  expect(await prisma().member.count()).toBe(0)
})

it('a test whose answer is not taken says why', async () => {
  sso.provider.state.tamper = (claims) => ({ claims: { ...claims, nonce: 'another' } })
  const logged = captureLog()
  expect(await tested()).toEqual({ kind: 'tested' })
  logged.stop()
  expect((await readReports(admin)).test).toMatchObject({ why: 'sso-refused', identityToken: [], read: null })
})

it('a test that the provider did not let in says so', async () => {
  const browser = newBrowser()
  const { url } = await testSingleSignOn(admin, {}, browser)
  const state = new URL(url).searchParams.get('state')
  const search = `?error=access_denied&state=${state}&iss=${encodeURIComponent(sso.provider.issuer)}`
  const logged = captureLog()
  expect(await finishSingleSignOn(search, null, browser)).toEqual({ kind: 'tested' })
  logged.stop()
  expect(logged.lines).toMatchObject([{ level: 'info', said: 'access_denied' }])
  expect((await readReports(admin)).test).toMatchObject({
    why: 'sso-declined',
    identityToken: [],
    read: null,
  })
})

it('a test is each admin’s own, and for admins alone', async () => {
  await tested()
  expect((await readReports(callerWith('admin'))).test).toBeNull()
  for (const role of ['support', 'compliance', 'auditor', 'end-user'] as const) {
    expect(() => testSingleSignOn(callerWith(role), {}, newBrowser())).toThrow(NotAllowed)
    await expect(readReports(callerWith(role))).rejects.toThrow(NotAllowed)
  }
})

it('the last refusal for its claims shows their names, and the values of the role claim alone', async () => {
  await sso.comes({ sub: 'kim', name: 'Kim', groups: ['helpdesk'] })
  const logged = captureLog()
  await sso.comes({ sub: 'kim', name: 'Kim Newman', groups: 'helpdesk,others' })
  logged.stop()
  const { refused } = await readReports(admin)
  expect(refused).toMatchObject({
    why: 'sso-role-unreadable',
    member: { name: 'Kim' },
    role: { said: 'unreadable', value: '"helpdesk,others"' },
    read: null,
  })
  expect(JSON.stringify(refused)).not.toContain('Newman')
  expect(logged.text()).not.toContain('Newman')
})

it.each([
  // The value is cut within its last character.
  [{ groups: ['x'.repeat(1_997).concat('🦊')] }, 'sso-no-role', /x\ufffd$/],
  [{ groups: ['\0\ud83d'] }, 'sso-no-role', /u0000/],
  [{}, 'sso-role-not-sent', null],
])('a refusal is kept whatever texts came: %#', async (account, why, value) => {
  sso.provider.state.tamper = (claims) => ({ claims: { ...claims, 'a\0b': 1, 'c\ud83d': 1 } })
  const logged = captureLog()
  expect(await sso.comes({ sub: 'kim', ...account })).toMatchObject({ kind: 'refused', why })
  logged.stop()
  const { refused } = await readReports(admin)
  expect(refused).toMatchObject({ why, identityToken: expect.arrayContaining(['a\ufffdb', 'c\ufffd']) })
  if (value) expect(refused?.role?.value).toMatch(value)
})
