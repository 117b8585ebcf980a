import fs from 'node:fs'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openPool } from '#lib/platform/db/pool.ts'
import { type NextServer, startServer } from '../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'

// A proxy changes the address of a form. The server runs as in production.

const publicUrl = 'https://dash.example.com:8443'
let database: TestDatabase
let server: NextServer
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  server = await startServer(database.url, { PUBLIC_URL: publicUrl, NEXTAUTH_URL: publicUrl })
})
afterAll(async () => {
  await server.stop()
  await pool.end()
  await database.drop()
})

const ManifestSchema = z.object({ node: z.record(z.string(), z.object({ exportedName: z.string() })) })

function actionId(name: string): string {
  const { node } = ManifestSchema.parse(
    JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')),
  )
  const [id] = Object.entries(node).find(([, one]) => one.exportedName === name) ?? []
  if (id === undefined) throw new Error(`The build has no action ${name}`)
  return id
}

/** The form is passed on to another page, without a session. `fetch` would not let the test choose the host. */
async function submit(
  headers: Record<string, string>,
): Promise<{ status: number | undefined; said: string }> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(`${server.url}/sign-in`, {
      method: 'POST',
      headers: {
        'next-action': actionId('reopenGapAction'),
        'content-type': 'text/plain;charset=UTF-8',
        'content-length': '4',
        'x-forwarded-for': '203.0.113.7',
        ...headers,
      },
    })
    request.on('response', resolve).on('error', reject)
    request.end('[{}]')
  })
  return { status: answer.statusCode, said: await text(answer) }
}

test.each<[string, Record<string, string>]>([
  ['nginx with $http_host', { host: 'dash.example.com:8443' }],
  ['nginx with $host, which drops the port', { host: 'dash.example.com' }],
  ['a proxy that gives the name of its upstream', { host: 'rampart:3000' }],
  [
    'one that forwards the host without its port',
    { host: 'rampart', 'x-forwarded-host': 'dash.example.com' },
  ],
  [
    'two, each of which adds its own',
    { host: 'rampart', 'x-forwarded-host': 'edge.example, dash.example.com:8443' },
  ],
  [
    'two, the other way round',
    { host: 'rampart', 'x-forwarded-host': 'dash.example.com:8443, edge.example' },
  ],
  ['one that forwards something else', { host: 'dash.example.com:8443', 'x-forwarded-host': '10.0.0.5' }],
  ['nginx as it is documented', { host: 'dash.example.com:8443', 'x-forwarded-proto': 'https' }],
  ['two with TLS', { host: 'rampart', 'x-forwarded-proto': 'https, http', 'x-forwarded-port': '443' }],
  ['one that writes hosts in capitals', { host: 'DASH.EXAMPLE.COM' }],
])('a form of our own pages is answered behind %s', async (_which, headers) => {
  const { status, said } = await submit({ origin: publicUrl, ...headers })
  expect(status).toBe(200)
  expect(said).toContain('"kind":"signed-out"')
})

test.each<[string, Record<string, string>]>([
  ['takes the Origin away', {}],
  ['empties it', { origin: '' }],
  ['adds Referrer-Policy: no-referrer', { origin: 'null' }],
])(
  'a form of our own pages is answered behind a proxy that %s, since browsers say it twice',
  async (_which, headers) => {
    const { status, said } = await submit({ host: 'rampart', 'sec-fetch-site': 'same-origin', ...headers })
    expect(status).toBe(200)
    expect(said).toContain('"kind":"signed-out"')
  },
)

test.each<[string, Record<string, string>]>([
  ['another site', { origin: 'https://evil.example', host: 'dash.example.com:8443' }],
  ['another port', { origin: 'https://dash.example.com', host: 'dash.example.com:8443' }],
  ['a site that names itself as the host', { origin: 'https://evil.example', host: 'evil.example' }],
  ['a site whose host no proxy passes on', { origin: 'https://www.dash.example.com', host: '10.0.0.5' }],
  ['a frame of nobody', { origin: 'null', 'sec-fetch-site': 'cross-site', host: 'dash.example.com:8443' }],
  [
    'a site that claims to be the same',
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin', host: 'evil.example' },
  ],
  [
    'a site that forwards itself',
    { origin: 'https://evil.example', host: 'x', 'x-forwarded-host': 'evil.example' },
  ],
])('a form of %s is refused with a message that names our own address', async (_which, headers) => {
  const { status, said } = await submit(headers)
  expect(status).toBe(200)
  expect(said).toContain('"kind":"refused"')
  expect(said).toContain(`Open the dashboard at ${publicUrl}`)
})

test('a sign-in without the cookie that the browser was given is refused, and the log names the proxy', async () => {
  const answer = await fetch(`${server.url}/api/auth/callback/code`, {
    method: 'POST',
    headers: { origin: publicUrl },
    body: new URLSearchParams({ email: 'ana@demo.test', code: '361836', csrfToken: 'x', json: 'true' }),
  })
  expect(await answer.json()).toEqual({ url: expect.stringContaining('csrf=true') })
  expect(server.printed()).toMatch(/"cause":"no-cookies".*removes Set-Cookie/)
})

test('a form without an Origin is refused with a message that names the proxy', async () => {
  for (const site of ['cross-site', 'same-site', 'none', '']) {
    const { status, said } = await submit({ host: 'rampart', ...(site ? { 'sec-fetch-site': site } : {}) })
    expect(status).toBe(200)
    expect(said).toContain('A proxy removes the Origin header')
  }
  expect(server.printed()).toMatch(/"cause":"removed".*PUBLIC_URL|"component":"proxy".*Origin/)
})

test.each(['/api/search', '/api/transactions/rows', '/api/users/import'])(
  '%s refuses who comes from elsewhere for that, and not for the role',
  async (path) => {
    const cookie = await server.signIn(pool, 'admin')
    const post = async (headers: Record<string, string>) => {
      const answer = await fetch(server.url + path, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7', ...headers },
        body: '{"text":"x"}',
      })
      return { status: answer.status, said: await answer.text() }
    }
    const other = await post({ origin: 'https://www.dash.example.com' })
    expect(other.status).toBe(403)
    expect(other.said).toContain(publicUrl)
    expect(other.said).not.toContain('role')
    const removed = await post({})
    expect(removed.status).toBe(403)
    expect(removed.said).toContain('proxy')
    for (const own of [{ origin: publicUrl }, { 'sec-fetch-site': 'same-origin' }])
      expect((await post(own)).status).not.toBe(403)
  },
)

test.each(['/api/sign-out', '/api/session', '/api/auth/callback/code'])(
  '%s refuses who comes from elsewhere in words',
  async (path) => {
    const post = (headers: Record<string, string>) =>
      fetch(server.url + path, { method: 'POST', redirect: 'manual', headers, body: '' })
    const other = await post({ origin: 'https://www.dash.example.com' })
    expect(other.status).toBe(403)
    expect(await other.text()).toContain(`Open the dashboard at ${publicUrl}`)
    const removed = await post({})
    expect(removed.status).toBe(403)
    expect(await removed.text()).toContain('proxy')
    expect((await post({ 'sec-fetch-site': 'same-origin' })).status).not.toBe(403)
  },
)
