import crypto from 'node:crypto'
import net from 'node:net'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver } from '../../test/ingest.ts'
import { type NextServer, startNext } from '../../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'

let database: TestDatabase
let pool: pg.Pool
let next: NextServer

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  next = await startNext(database.url)
})
afterAll(async () => {
  await next.stop()
  await pool.end()
  await database.drop()
})

const deliver = (receiverId: string, authorization: string, body: string) =>
  fetch(`${next.url}/api/webhooks/${receiverId}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  })

test('a body that is too large gets the answer of the route, and the connection goes on', async () => {
  const { id, authorization } = await addReceiver(pool, { key: next.key })
  const piece = Buffer.alloc(65_536, 'x')
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
  const length = `Content-Length: ${128 * 65_536}`
  const chunked = 'Transfer-Encoding: chunked'
  for (const [status, key, how] of [
    [413, authorization, length],
    [413, authorization, chunked],
    [401, 'API-Key other', length],
    [401, 'API-Key other', chunked],
  ] as const) {
    const lines = [`POST /api/webhooks/${id} HTTP/1.1`, 'Host: a', `Authorization: ${key}`, how, '', '']
    const said = await new Promise<string>((resolve, reject) => {
      const socket = net.connect(Number(new URL(next.url).port), 'localhost')
      let text = ''
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
      socket.write(lines.join('\r\n'))
      for (let n = 0; n < 128; n++) socket.write(how === chunked ? chunk : piece)
      socket.write(`${how === chunked ? '0\r\n\r\n' : ''}GET /api/session HTTP/1.1\r\nHost: a\r\n\r\n`, () =>
        socket.on('data', (more) => {
          text += more
          if (text.match(/HTTP\/1\.1/g)?.length === 2) socket.destroy()
        }),
      )
    })
    const statuses = [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => Number(one))
    expect(statuses, `${key} ${how}`).toEqual([status, 200])
  }
})

async function storedBodies(receiverId: string): Promise<string[]> {
  const { rows } = await pool.query<{ body: Buffer }>('SELECT body FROM delivery WHERE receiver_id = $1', [
    receiverId,
  ])
  return rows.map(({ body }) => body.toString())
}

test('a delivery to the route of Next is in the log when it is answered', async () => {
  const { id, authorization } = await addReceiver(pool, { key: next.key })
  const body = JSON.stringify({ type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: { text: 'ä€' } })
  const answer = await deliver(id, authorization, body)
  expect(answer.status).toBe(200)
  expect(await storedBodies(id)).toEqual([body])
})

test('the route of Next refuses another secret, another method and a body that is too large', async () => {
  const { id, authorization } = await addReceiver(pool, { key: next.key })
  expect((await deliver(id, 'API-Key other', '{}')).status).toBe(401)
  expect((await fetch(`${next.url}/api/webhooks/${id}`)).status).toBe(405)
  expect((await deliver(id, authorization, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413)
  expect(await storedBodies(id)).toEqual([])
})

test('the live stream of Next notifies a signed-in browser of changes, and nobody else', async () => {
  expect((await fetch(`${next.url}/api/live`)).status).toBe(401)
  const userUuid = crypto.randomUUID()
  const leave = new AbortController()
  const answer = await fetch(`${next.url}/api/live`, {
    headers: { cookie: await next.signIn(pool, 'end-user', userUuid) },
    signal: leave.signal,
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  const [payload] = changePayloads([{ subjectId: 'transaction:its-own', userUuid }], Date.now())
  // The server's process may not have subscribed to the channel yet.
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

test('the route of next-auth refuses or ignores an address to go back to, and the log stays intact', async () => {
  const text = 'ftp://x\n\u001b[31mforged'
  const forged = encodeURIComponent(text)
  expect((await fetch(`${next.url}/api/auth/csrf?callbackUrl=${forged}`)).status).toBe(400)
  const kept = await fetch(`${next.url}/api/auth/csrf`, {
    headers: { cookie: `${next.cookieName('callback')}=${forged}` },
  })
  expect(kept.status).toBe(400)
  expect(kept.headers.get('set-cookie')).toMatch(/^rampart-\d+\.callback=;.*(Max-Age=0|1970)/i)
  const csrf = await fetch(`${next.url}/api/auth/csrf`)
  const cookie = csrf.headers.getSetCookie().map((one) => one.split(';', 1)[0])
  const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await csrf.json())
  const posted = await fetch(`${next.url}/api/auth/callback/code`, {
    method: 'POST',
    headers: { cookie: cookie.join('; '), origin: next.url },
    body: new URLSearchParams({ csrfToken, callbackUrl: text, email: 'x', code: 'y', json: 'true' }),
  })
  expect(posted.status).toBe(401)
  for (const forgery of ['\nforged', '\u001b']) expect(next.printed()).not.toContain(forgery)
})

test('a question to a route of Next is read up to 64 KB, also without our own server', async () => {
  const cookie = await next.signIn(pool, 'support')
  const ask = async (characters: number) => {
    const body = new Blob([JSON.stringify({ text: 'x'.repeat(characters) })]).stream()
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' }
    return (await fetch(`${next.url}/api/search`, { ...init, headers: { cookie, origin: next.url } })).status
  }
  expect(await ask(1_000)).toBe(200)
  expect(await ask(1_000_000)).toBe(413)
})
