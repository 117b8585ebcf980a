import { type ChildProcess, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { digestToken, randomToken } from '#lib/auth/token.ts'
import { changeChannel, changePayloads } from '#lib/projector/change-notification.ts'
import { freePort } from '../../bin/postgres.ts'
import { addReceiver, testKey } from '../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'

// The built pages, served by Next alone: nothing of `server.ts` stands before the routes.

const key = testKey('k1')
const nextauthSecret = crypto.randomBytes(32).toString('base64')
let database: TestDatabase
let pool: pg.Pool
let next: ChildProcess
let url: string
let printed = ''

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
  const port = String(await freePort())
  url = `http://localhost:${port}`
  next = spawn(process.execPath, ['node_modules/.bin/next', 'start', '-H', 'localhost', '-p', port], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PUBLIC_URL: url,
      DATABASE_URL: database.url,
      SERVICE_BASE_URL: 'http://localhost:1/onboarding',
      SERVICE_API_KEY: 'no-key',
      NEXTAUTH_SECRET: nextauthSecret,
      RAMPART_KEYS: `${key.id}:${key.bytes.toString('base64')}`,
    },
  })
  next.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  await untilItAnswers()
})
afterAll(async () => {
  const ended = once(next, 'exit')
  next.kill('SIGTERM')
  await ended
  await pool.end()
  await database.drop()
})

async function untilItAnswers() {
  while (next.exitCode === null) {
    if (await fetch(url, { redirect: 'manual' }).catch(() => null)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('Next did not start: `npm run test:build` builds the pages first')
}

const deliver = (receiverId: string, authorization: string, body: string) =>
  fetch(`${url}/api/webhooks/${receiverId}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  })

async function storedBodies(receiverId: string): Promise<string[]> {
  const { rows } = await pool.query<{ body: Buffer }>('SELECT body FROM delivery WHERE receiver_id = $1', [
    receiverId,
  ])
  return rows.map(({ body }) => body.toString())
}

test('a delivery to the route of Next is in the log when it is answered', async () => {
  const { id, authorization } = await addReceiver(pool, { key })
  const body = JSON.stringify({ type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: { text: 'ä€' } })
  const answer = await deliver(id, authorization, body)
  expect(answer.status).toBe(200)
  expect(await storedBodies(id)).toEqual([body])
})

test('the route of Next refuses another secret, another method and a body that is too large', async () => {
  const { id, authorization } = await addReceiver(pool, { key })
  expect((await deliver(id, 'API-Key other', '{}')).status).toBe(401)
  expect((await fetch(`${url}/api/webhooks/${id}`)).status).toBe(405)
  expect((await deliver(id, authorization, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413)
  expect(await storedBodies(id)).toEqual([])
})

test('the live stream of Next notifies a signed-in browser of changes, and nobody else', async () => {
  expect((await fetch(`${url}/api/live`)).status).toBe(401)
  const userUuid = crypto.randomUUID()
  const leave = new AbortController()
  const answer = await fetch(`${url}/api/live`, {
    headers: { cookie: await signIn(userUuid) },
    signal: leave.signal,
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  const [payload] = changePayloads([{ subjectId: 'transaction:its-own', userUuid }], Date.now())
  // Its process may not have subscribed to the channel yet.
  const notifying = setInterval(
    () => void pool.query('SELECT pg_notify($1, $2)', [changeChannel, payload]),
    100,
  )
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('transaction:its-own')) break
  }
  clearInterval(notifying)
  leave.abort()
  expect(text).toContain('"subjects":["transaction:its-own"]')
})

test('an address to go back to is refused by the route of next-auth, or not looked at, and forges no line', async () => {
  const text = 'ftp://x\n\u001b[31mforged'
  const forged = encodeURIComponent(text)
  expect((await fetch(`${url}/api/auth/csrf?callbackUrl=${forged}`)).status).toBe(400)
  const kept = await fetch(`${url}/api/auth/csrf`, { headers: { cookie: `rampart.callback=${forged}` } })
  expect(kept.status).toBe(400)
  expect(kept.headers.get('set-cookie')).toMatch(/^rampart\.callback=;.*(Max-Age=0|1970)/i)
  const csrf = await fetch(`${url}/api/auth/csrf`)
  const cookie = csrf.headers.getSetCookie().map((one) => one.split(';', 1)[0])
  const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await csrf.json())
  const posted = await fetch(`${url}/api/auth/callback/code`, {
    method: 'POST',
    headers: { cookie: cookie.join('; '), origin: url },
    body: new URLSearchParams({ csrfToken, callbackUrl: text, email: 'x', code: 'y', json: 'true' }),
  })
  expect(posted.status).toBe(401)
  for (const forgery of ['\nforged', '\u001b']) expect(printed).not.toContain(forgery)
})

/** A `Cookie` header of somebody who is signed in. */
async function signIn(userUuid: string): Promise<string> {
  const token = randomToken()
  await pool.query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, $3, 'code', 'end-user', now() + interval '1 hour', now() + interval '1 hour')`,
    [crypto.randomUUID(), digestToken(token), userUuid],
  )
  return `rampart.session=${await encode({ token: { token }, secret: nextauthSecret })}`
}
