import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../bin/postgres.ts'
import { clientId, clientSecret, startIdentityProvider } from '../test/identity-provider.ts'
import { type NextServer, startServer } from '../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'

// The test is in the place of browsers and the provider of single sign-on. The server runs as in production.

let database: TestDatabase
let server: NextServer
let pool: pg.Pool
let provider: Awaited<ReturnType<typeof startIdentityProvider>>

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
  provider = await startIdentityProvider(await freePort(), 'http://localhost/api/single-sign-on/callback')
  server = await startServer(database.url, {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  })
})
afterAll(async () => {
  await server.stop()
  await provider.stop()
  await pool.end()
  await database.drop()
})

const ask = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { redirect: 'manual', ...init })

test('a person who is signed in sees the refusal, with the way back', async () => {
  const cookie = await server.signIn(pool, 'support')
  const page = await ask('/sign-in?refused=sso-expired&next=%2Fteam', { headers: { cookie } })
  expect(page.status).toBe(200)
  const text = await page.text()
  expect(text).toContain('That took too long.')
  expect(text).toMatch(/href="\/team"[^>]*>Go back without it/)
  const plain = await ask('/sign-in?next=%2Fteam', { headers: { cookie } })
  expect(plain.status).toBe(307)
})

test('an answer to a question that nobody asked is refused with a message, with and without a session', async () => {
  const cookie = await server.signIn(pool, 'support')
  const answer = await ask('/api/single-sign-on/callback?code=x&state=y', { headers: { cookie } })
  expect(answer.headers.get('location')).toBe('/sign-in?refused=sso-unknown')
  const without = await ask('/api/single-sign-on/callback?code=x&state=y')
  expect(without.headers.get('location')).toBe('/sign-in?refused=sso-unknown')
})

test.each([
  ['1 hour', '&again=1'],
  ['-1 hour', ''],
])('a person whose session ends in %s is asked again by “%s”', async (left, again) => {
  const cookie = await server.signIn(pool, 'support')
  await pool.query(`UPDATE session SET idle_expires_at = now() + $1::interval`, [left])
  await pool.query(
    `INSERT INTO sso_attempt (state_digest, browser_digest, nonce, code_verifier, next, expires_at, proof_since)
     VALUES (sha256('s'), sha256('b'), 'n', 'v', '/team', now(), now())`,
  )
  const answer = await ask('/api/single-sign-on/callback?code=x&state=s', { headers: { cookie } })
  expect(answer.headers.get('location')).toBe(`/sign-in?refused=sso-expired${again}&next=%2Fteam`)
})

test('after signing out at the provider the sign-in page opens, without a refusal', async () => {
  const answer = await ask('/api/single-sign-on/callback')
  expect(answer.headers.get('location')).toBe('/sign-in')
})

test('a logout token is accepted from any caller, and answered as the provider expects', async () => {
  const post = (body: string) =>
    ask('/api/single-sign-on/back-channel-logout', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
  const taken = await post(`logout_token=${provider.logoutToken({ sub: 'somebody' })}`)
  expect([taken.status, taken.headers.get('cache-control')]).toEqual([200, 'no-store'])
  for (const body of ['', 'logout_token=', 'logout_token=x']) {
    const refused = await post(body)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: 'invalid_request' })
  }
  expect((await post(`x=${'x'.repeat(100_000)}`)).status).toBe(413)
  const read = await ask('/api/single-sign-on/back-channel-logout')
  expect(read.status).toBe(405)
})
