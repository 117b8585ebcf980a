import crypto from 'node:crypto'
import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EveryRole, startForEveryRole } from '../test/every-role.ts'
import { addReceiver } from '../test/ingest.ts'

// No page of ours makes these requests. Each has an answer, and none is an error of ours.

let all: EveryRole
beforeAll(async () => {
  all = await startForEveryRole()
})
afterAll(() => all.stop())

interface Raw {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  /** These header lines follow the host. */
  readonly lines?: readonly string[]
  readonly hosts?: readonly string[]
  readonly body?: string
}

const own = () => new URL(all.server.url).host

function write({ method = 'GET', target = '/sign-in', version = '1.1', lines = [], hosts, body = '' }: Raw) {
  const head = [
    `${method} ${target} HTTP/${version}`,
    ...(hosts ?? [own()]).map((host) => `Host: ${host}`),
    ...(body === '' || lines.some((line) => /^(transfer-encoding|content-length)/i.test(line))
      ? []
      : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...lines,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** The text is all that the server sends until `done` or the end of the connection. */
function send(text: string, done: (said: string) => boolean = () => false) {
  return new Promise<string>((resolve, reject) => {
    const socket = net.connect(Number(new URL(all.server.url).port), 'localhost')
    let said = ''
    socket.on('error', reject)
    socket.on('close', () => resolve(said))
    socket.on('data', (chunk) => {
      said += chunk
      if (done(said)) socket.destroy()
    })
    socket.write(text)
  })
}

const statusOf = (said: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1])
const ask = async (raw: Raw) => statusOf(await send(write(raw), (said) => said.includes('\r\n\r\n')))

/** The log has these errors since then, without those of a service that is not running. */
const errorsSince = (from: number) =>
  all.server
    .printed()
    .slice(from)
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))

async function expectQuiet(act: () => Promise<unknown>) {
  const from = all.server.printed().length
  await act()
  // The answer to a later request comes after the log lines of earlier ones.
  await ask({})
  expect(errorsSince(from)).toEqual([])
}

const origin = () => `Origin: ${all.server.url}`
const staff = () => `Cookie: ${all.cookieOf('admin')}`
const customer = () => `Cookie: ${all.cookieOf('end-user')}`

test.each<[number, Raw]>([
  [400, { target: '*' }],
  [400, { target: '*', method: 'POST', lines: ['Content-Length: 0'] }],
  [400, { target: 'http://evil.example/x' }],
  [400, { target: 'http://evil.example/x', method: 'POST', lines: ['Content-Length: 0'] }],
  [400, { target: '//evil.example/x' }],
  [400, { target: '/x/../sign-in' }],
  [400, { target: '/x/%2e%2E/sign-in' }],
  [400, { target: '/x/..%2Fsign-in' }],
  [400, { target: '/x\\..\\sign-in' }],
  [400, { target: '/sign%2Din' }],
  [400, { target: '/sign-in#x' }],
  [400, { target: '/api/webhooks/x/../../live' }],
  [400, { hosts: [] }],
  [400, { hosts: ['a', 'b'] }],
  [400, { hosts: ['localhost', 'localhost'] }],
  [400, { hosts: ['['] }],
  [400, { hosts: ['a@b/c'] }],
  [200, { hosts: [], version: '1.0' }],
  [405, { method: 'TRACE' }],
  [405, { method: 'PROPFIND' }],
  [405, { method: 'PUT', lines: ['Content-Length: 0'] }],
  [405, { method: 'CONNECT', target: 'localhost:80' }],
  [405, { method: 'POST', target: '/social.png', lines: ['Content-Length: 0'] }],
  [200, { target: '/social.png', lines: ['Range: bytes=9999999999-'] }],
  [200, { target: '/social.png', lines: ['If-Match: x'] }],
  [200, { target: '/social.png', lines: ['If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'] }],
  [400, { lines: ['RSC: 1', 'Next-Router-State-Tree: garbage'] }],
  [400, { lines: ['RSC: 1', 'Next-Router-State-Tree: %'] }],
  [400, { lines: ['RSC: 1', `Next-Router-State-Tree: ${'['.repeat(5_000)}`] }],
  [400, { lines: ['Origin: ::::'] }],
])('%s is the answer to %o', async (status, raw) => {
  await expectQuiet(async () => expect(await ask(raw)).toBe(status))
})

test.each([
  'users',
  'gaps',
  'transactions',
  'accounts',
  'companies',
  'timeline',
  'endpoints',
  'replays',
  'team',
])('/%s answers names of a prototype', (place) =>
  expectQuiet(async () => {
    expect(await ask({ target: `/${place}/__proto__`, lines: [staff()] })).toBe(400)
    for (const name of ['constructor', 'toString', 'hasOwnProperty'])
      expect([200, 404]).toContain(await ask({ target: `/${place}/${name}`, lines: [staff()] }))
  }),
)

test('no spelling of a path avoids its refusal', async () => {
  const chunked = [customer(), origin(), 'Transfer-Encoding: chunked']
  const body = `10000\r\n${'x'.repeat(65_536)}\r\n`
  for (const target of ['/x/../api/search', '/./api/search', '/x/%2e%2e/api/search', '/api/search#'])
    expect(await ask({ method: 'POST', target, lines: chunked, body })).toBe(400)
  expect(
    await ask({ method: 'POST', target: '/api/search', lines: chunked, body: `${body}1\r\nx\r\n0\r\n\r\n` }),
  ).toBe(413)
})

test('only one path and method opens a stream in the process that answers', async () => {
  for (const target of ['/x/../api/live', '/api/live#x', '/api/%6Cive'])
    expect(await ask({ target, lines: [customer()] })).toBe(400)
  for (const method of ['HEAD', 'POST', 'OPTIONS'])
    expect(await ask({ method, target: '/api/live', lines: [customer(), 'Content-Length: 0'] })).toBe(405)
})

test('a request for a stream behind another request of the connection does not get that request’s answer', async () => {
  const live = write({ target: '/api/live', lines: [customer()] })
  const said = await send(write({ target: '/api/session' }) + live, (text) => text.includes('HTTP/1.1 503'))
  expect(said.indexOf('"state"')).toBeGreaterThan(0)
  expect(said.indexOf('HTTP/1.1 503')).toBeGreaterThan(said.indexOf('"state"'))
  expect(said).not.toContain('text/event-stream')
})

test('a request behind a stream gets no answer and blocks nothing', async () => {
  const live = write({ target: '/api/live', lines: [customer()] })
  const said = await send(live + write({ target: '/api/session' }), (text) => text.includes('retry:'))
  expect(said).toContain('text/event-stream')
  expect(said.match(/HTTP\/1\.1/g)).toHaveLength(1)
})

test('a body that breaks off is no error', () =>
  expectQuiet(async () => {
    for (const target of ['/sign-in', '/api/search', '/api/auth/callback/code', '/api/sign-out']) {
      const lines = [
        customer(),
        origin(),
        'Content-Length: 1000',
        'Next-Action: x',
        'Content-Type: text/plain',
      ]
      const socket = net.connect(Number(new URL(all.server.url).port), 'localhost')
      socket.write(write({ method: 'POST', target, lines, body: '[{' }), () => socket.destroy())
      await new Promise((resolve) => socket.on('close', resolve))
      await ask({})
    }
  }))

/** One connection writes `texts` whole before it reads any answer. The result has the statuses of all its requests. */
function writeThenRead(...texts: readonly (string | Buffer)[]) {
  return new Promise<number[]>((resolve, reject) => {
    const socket = net.connect(Number(new URL(all.server.url).port), 'localhost')
    let said = ''
    const statuses = () => [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
    const read = () =>
      socket.on('data', (chunk) => {
        said += chunk
        if (statuses().length === 2) socket.destroy()
      })
    socket.on('error', (error) => reject(new Error(String(texts[0]), { cause: error })))
    socket.on('close', () => resolve(statuses()))
    for (const text of texts) socket.write(text)
    socket.write('', read)
  })
}

const piece = Buffer.alloc(65_536, 'x')
const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
const pieces = Array<Buffer>(128).fill(piece)
const chunks = [...Array<Buffer>(128).fill(chunk), Buffer.from('0\r\n\r\n')]

test('a body that is too large gets an answer, and the connection goes on', async () => {
  const receiver = await addReceiver(all.pool, { key: all.server.key })
  const key = `Authorization: ${receiver.authorization}`
  const form = ['Next-Action: x', 'Content-Type: text/plain', customer(), origin()]
  const length = `Content-Length: ${128 * 65_536}`
  const chunked = 'Transfer-Encoding: chunked'
  const target = `/api/webhooks/${receiver.id}`
  const cases = [
    [413, { target: '/profile', lines: [...form, chunked] }, chunks],
    [413, { target: '/profile', lines: [...form, length] }, pieces],
    [413, { target: '/api/search', lines: [customer(), origin(), length] }, pieces],
    [413, { target: '/api/search', lines: [customer(), origin(), chunked] }, chunks],
    [400, { target: '/x/../y', lines: [length] }, pieces],
    [404, { target: `/api/webhooks/${crypto.randomUUID()}`, lines: [key, chunked] }, chunks],
    [415, { target, lines: [key, 'Content-Encoding: snappy', length] }, pieces],
    [405, { target, method: 'PUT', lines: [key, length] }, pieces],
    [400, { target: '/api/search', lines: ['Origin: ::::', length] }, pieces],
    [409, { target: '/api/users/import', lines: [staff(), origin(), length] }, pieces],
    [409, { target: '/api/users/import', lines: [staff(), origin(), chunked] }, chunks],
    [405, { target: '/social.png', lines: [length] }, pieces],
    [405, { target: '/api/live', lines: [customer(), length] }, pieces],
    [417, { target: '/profile', lines: ['Expect: miracles', length] }, pieces],
    [400, { target: '/profile', hosts: [], lines: [length] }, pieces],
    [413, { target, lines: [key, length] }, pieces],
    [413, { target, lines: [key, chunked] }, chunks],
    [401, { target, lines: ['Authorization: API-Key x', length] }, pieces],
  ] as const
  for (const [status, raw, body] of cases) {
    const head = write({ method: 'POST', ...raw })
    const next = write({ target: '/api/session' })
    await expect(writeThenRead(head, ...body, next), JSON.stringify(raw)).resolves.toEqual([status, 200])
    // An nginx that keeps no connections asks like this.
    for (const [version, line] of [
      ['1.1', 'Connection: close'],
      ['1.0', 'Accept: */*'],
    ] as const) {
      // HTTP/1.0 has no chunks, no Expect, and often no host.
      if (version === '1.0' && (body === chunks || status === 417 || 'hosts' in raw)) continue
      const closing = write({ method: 'POST', version, ...raw, lines: [...raw.lines, line] })
      await expect(writeThenRead(closing, ...body), `${version} ${JSON.stringify(raw)}`).resolves.toEqual([
        status,
      ])
    }
  }
})

/** Each kind has one path: a page, a missing page, a route by each method, a missing route, files, a delivery. */
const kinds = [
  '/',
  '/sign-in',
  '/transactions',
  '/nothing-here',
  '/go/x',
  '/healthz',
  '/api/search',
  '/api/session',
  '/api/transactions',
  '/api/sign-out',
  '/api/auth/csrf',
  '/api/live',
  '/api/nothing-here',
  '/social.png',
  '/_next/static/nothing-here.js',
  '/_next/image',
  '/favicon.ico',
  '/robots.txt',
  `/api/webhooks/${crypto.randomUUID()}`,
]
const methods = [
  'OPTIONS',
  'HEAD',
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'BREW',
]

test.each(kinds)('%s has a proper answer to every method, with and without somebody signed in', (target) =>
  expectQuiet(async () => {
    const cookie = `Cookie: ${await all.newCookie('admin')}`
    for (const method of methods)
      for (const lines of [[], [cookie, origin()]]) {
        const length = method === 'GET' || method === 'HEAD' ? [] : ['Content-Length: 0']
        const raw = { method, target, lines: [...lines, ...length] }
        const said = await send(write(raw), (text) => text.includes('\r\n\r\n'))
        const what = `${method} ${lines.length} ${said.slice(0, said.indexOf('\r\n\r\n'))}`
        expect([200, 204, 303, 307, 308, 400, 401, 403, 404, 405, 415], what).toContain(statusOf(said))
        if (method === 'OPTIONS') expect([204, 404, 405], what).toContain(statusOf(said))
        if (method === 'HEAD' || method === 'GET') expect(statusOf(said), what).not.toBe(400)
        if (statusOf(said) === 405 || statusOf(said) === 204) expect(said, what).toMatch(/^allow: \S/im)
        // Nothing keeps a redirect of 307 unless it says so.
        if (statusOf(said) !== 307) expect(said, what).toMatch(/^cache-control: \S/im)
      }
  }),
)

test.each<Raw>([
  { method: 'OPTIONS', target: '/', version: '1.0', hosts: [] },
  { method: 'OPTIONS', target: '*' },
  { method: 'OPTIONS', target: '*', version: '1.0', hosts: [] },
  { method: 'OPTIONS', target: '/healthz' },
])('a health check by %o is answered', (raw) => expectQuiet(async () => expect(await ask(raw)).toBe(204)))

test('an unknown method is refused by name, and text that is no HTTP as such', async () => {
  expect(await send('BREW / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 .*\r\nallow: GET/is)
  expect(statusOf(await send('\x16\x03\x01\x02 hello\r\n\r\n'))).toBe(400)
  expect(await send(write({ method: 'CONNECT', target: 'localhost:80' }))).toMatch(/\r\nallow: GET/i)
})

test.each<[number, Raw]>([
  [400, { hosts: [] }],
  [400, { hosts: ['a', 'b'] }],
  [400, { target: '//evil.example/x' }],
  [405, { method: 'BREW' }],
  [405, { method: 'CONNECT', target: 'localhost:80' }],
  [417, { lines: ['Expect: miracles'] }],
  [431, { lines: [`Cookie: ${'x'.repeat(20_000)}`] }],
])('no cache keeps the answer %s to %o, and no browser guesses its type', async (status, raw) => {
  const said = await send(write(raw), (text) => text.includes('\r\n\r\n'))
  expect(statusOf(said)).toBe(status)
  expect(said).toMatch(/^cache-control: no-store\r$/im)
  expect(said).toMatch(/^x-content-type-options: nosniff\r$/im)
  expect(said).toMatch(/^(content-length: \d+|transfer-encoding: chunked)\r$/im)
})

test('a target with our own host opens the page that it names', async () => {
  expect(await ask({ target: `http://${own()}/sign-in` })).toBe(200)
  expect(await ask({ target: `http://${own()}`, method: 'OPTIONS' })).toBe(204)
  expect(await ask({ target: `http://${own()}/x/../sign-in` })).toBe(400)
})

test('a body in chunks is read up to 64 KB', async () => {
  const chunked = [staff(), origin(), 'Transfer-Encoding: chunked', 'Content-Type: application/json']
  const inPieces = (text: string) =>
    `${[...text.matchAll(/.{1,1000}/gs)].map(([part]) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
  const post = (target: string, text: string, lines = chunked) =>
    ask({ method: 'POST', target, lines, body: inPieces(text) })
  expect(await post('/api/search', '{"text":"x"}')).toBe(200)
  expect(await post('/api/search', '')).toBe(400)
  expect(await post('/api/session', '')).toBe(200)
  expect(await post('/api/transactions/rows', '{"uuids":[]}')).toBe(
    await ask({
      method: 'POST',
      target: '/api/transactions/rows',
      lines: chunked.slice(0, 2),
      body: '{"uuids":[]}',
    }),
  )
  const form = [...chunked.slice(1, 3), 'Content-Type: application/x-www-form-urlencoded']
  const byLength = form.filter((line) => !line.startsWith('Transfer'))
  const code = 'email=x%40demo.test&code=123456&json=true&csrfToken=x'
  expect(await post('/api/auth/callback/code', code, form)).toBe(
    await ask({ method: 'POST', target: '/api/auth/callback/code', lines: byLength, body: code }),
  )
  expect(await post('/api/search', 'x'.repeat(65_537))).toBe(413)
  expect(await post('/api/auth/callback/code', 'x'.repeat(65_537), form)).toBe(413)
})

test('a delivery is accepted at every spelling of its path', async () => {
  const receiver = await addReceiver(all.pool, { key: all.server.key })
  const { id } = receiver
  const lines = [`Authorization: ${receiver.authorization}`]
  const deliver = (target: string) => ask({ method: 'POST', target, lines, body: '{"type":"KYC"}' })
  for (const target of [
    `/%61pi/webhooks/${id}`,
    `/api/%77ebhooks/${id}`,
    `/api/webhooks/${id.replaceAll('-', '%2D')}`,
    `/api/webhooks/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
    `//api/webhooks/${id}`,
    `/api//webhooks///${id}//`,
    `/API/Webhooks/${id.toUpperCase()}`,
    `/api/webhooks/${id}/?x=1`,
    `/api/webhooks/${id}/added/on/the/way`,
    `/api/webhooks/./${id}`,
    `/x/../api/webhooks/${id}`,
    `/api/webhooks/${id}#x`,
    `/api%2Fwebhooks%2F${id}`,
    `/api\\webhooks\\${id}`,
    `http://${own()}/api/webhooks/${id}`,
    `http://elsewhere.example//api/webhooks/${id}`,
  ])
    expect(await deliver(target), target).toBe(200)
  expect(await deliver(`/api/webhooks/${crypto.randomUUID()}/x`)).toBe(404)
  for (const target of [`/api/webhooks/${id}/../../live`, `/go/api/webhooks/${id}`, `/x/api/webhooks/${id}`])
    expect(await deliver(target), target).not.toBe(200)
})

test('a request with too many cookies is told what to do, and which are the largest', async () => {
  const cookies = `Cookie: rampart.session=s3cret; other.program=${'x'.repeat(15_000)}; a=${'y'.repeat(4_000)}`
  for (const target of ['/', '/sign-in', '/api/live', `/api/webhooks/${crypto.randomUUID()}`]) {
    const said = await send(write({ target, lines: [cookies] }))
    expect(statusOf(said)).toBe(431)
    expect(said).toContain('Delete the cookies of this address')
    expect(said).toContain('<code>other.program</code>')
    expect(said).not.toContain('s3cret')
  }
  await expect.poll(() => all.server.printed()).toMatch(/other\.program \(15014 bytes\)/)
  expect(all.server.printed()).not.toContain('s3cret')
})

test('headers of any length get an answer, and so does text that is no HTTP', async () => {
  const long = Buffer.from(`GET /sign-in HTTP/1.1\r\nHost: a\r\nCookie: ${'x'.repeat(4_000_000)}\r\n\r\n`)
  for (const [status, bytes] of [
    [431, long],
    [400, Buffer.concat([Buffer.from('\x16\x03\x01'), Buffer.alloc(4_000_000)])],
    [405, Buffer.from(`BREW /sign-in HTTP/1.1\r\nHost: a\r\n\r\n${'x'.repeat(4_000_000)}`)],
  ] as const) {
    const said = await new Promise<string>((resolve, reject) => {
      const socket = net.connect(Number(new URL(all.server.url).port), 'localhost')
      let text = ''
      socket.on('error', reject)
      socket.on('end', () => resolve(text))
      // The answer is read only after everything was written, as some proxies do.
      socket.write(bytes, () => socket.on('data', (chunk) => (text += chunk)))
    })
    expect(statusOf(said)).toBe(status)
  }
})

test('an action that this server does not know, or cannot read, gets the answer for an older page', async () => {
  const body = '[{}]'
  for (const lines of [
    [`Next-Action: ${'0'.repeat(42)}`],
    [`Next-Action: ${'0'.repeat(42)}`, 'Next-Router-State-Tree: of-another-version'],
    [`Next-Action: ${'0'.repeat(42)}`, 'Content-Type: multipart/form-data; boundary=x'],
  ]) {
    const type = lines.length === 1 ? ['Content-Type: text/plain'] : []
    const raw = { method: 'POST', lines: [origin(), ...lines, ...type], body }
    const said = await send(write(raw), (text) => text.includes('\r\n\r\n'))
    expect([400, 404, 409]).toContain(statusOf(said))
    expect(said.toLowerCase()).toContain('\r\nx-nextjs-action-not-found: 1\r\n')
  }
})
