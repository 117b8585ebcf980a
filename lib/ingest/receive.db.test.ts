import crypto from 'node:crypto'
import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as route from '#app/api/webhooks/[receiver]/route.ts'
import { addReceiver, startIngestServer, testKey } from '../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'

let database: TestDatabase
let server: Awaited<ReturnType<typeof startIngestServer>>
const receivers: Record<string, { id: string; authorization: string }> = {}

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startIngestServer(database.url)
  globalThis.rampartIngest = server.ingest
  for (const state of ['active', 'pending', 'rotating', 'closed'] as const)
    receivers[state] = await addReceiver(server.pool, { state })
  receivers.secretless = await addReceiver(server.pool, { state: 'pending', secret: null })
  receivers.foreignKey = await addReceiver(server.pool, { key: testKey('lost') })
})
afterAll(async () => {
  globalThis.rampartIngest = undefined
  await server.stop()
  await database.drop()
})

interface Case {
  readonly receiver?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

interface Answered {
  readonly status: number
  readonly headers: Record<string, string | null>
  readonly body: string
}

/** The two ways in: our own server, and the handlers that Next calls. */
const ways: Record<string, (request: Required<Omit<Case, 'receiver'>>) => Promise<Answered>> = {
  'the fast way': (request) =>
    new Promise((resolve, reject) => {
      const sent = http.request(
        {
          port: server.port,
          path: `/api/webhooks/${request.path}`,
          method: request.method,
          headers: request.headers,
        },
        (response) => {
          let body = ''
          response.on('data', (chunk) => {
            body += chunk
          })
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              body,
              headers: told((name) => response.headers[name]),
            }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(request.method === 'GET' ? undefined : request.body)
    }),
  'the API route': async ({ path, method, headers, body }) => {
    const handler = { GET: route.GET, POST: route.POST, PUT: route.PUT }[method] ?? route.POST
    const request = new Request(`http://localhost/api/webhooks/${path}`, {
      method,
      headers,
      body: method === 'GET' ? null : Uint8Array.from(Buffer.from(body)),
    })
    const response = await handler(request, { params: Promise.resolve({ receiver: path }) })
    const answered = told((name) => response.headers.get(name))
    return { status: response.status, body: await response.text(), headers: answered }
  },
}

const told = (read: (name: string) => string | string[] | null | undefined) =>
  Object.fromEntries(
    ['allow', 'content-type', 'content-length', 'retry-after', 'www-authenticate'].map((name) => [
      name,
      read(name)?.toString() ?? null,
    ]),
  )

const mebibyte = 1024 * 1024

const cases: readonly (readonly [title: string, request: Case, status: number])[] = [
  ['a delivery with the secret is stored', {}, 200],
  ['a body that is no JSON is stored', { body: 'hello' }, 200],
  ['an empty body is stored', { body: '' }, 200],
  ['bytes that are no text are stored', { body: Buffer.from([0xff, 0x00, 0xfe]) }, 200],
  ['a body of exactly 1 MiB is stored', { body: Buffer.alloc(mebibyte, 'x') }, 200],
  ['one byte more is refused', { body: Buffer.alloc(mebibyte + 1, 'x') }, 413],
  ['the scheme may be written in any case', { headers: { authorization: 'api-KEY whsec-test' } }, 200],
  ['spaces around the secret do not matter', { headers: { authorization: 'API-Key   whsec-test  ' } }, 200],
  ['a wrong secret is refused', { headers: { authorization: 'API-Key whsec-wrong' } }, 401],
  ['the beginning of the secret is refused', { headers: { authorization: 'API-Key whsec-tes' } }, 401],
  ['another scheme is refused', { headers: { authorization: 'Bearer whsec-test' } }, 401],
  ['no authorization is refused', { headers: {} }, 401],
  ['an empty secret is refused', { headers: { authorization: 'API-Key ' } }, 401],
  ['GET is refused', { method: 'GET' }, 405],
  ['PUT is refused', { method: 'PUT' }, 405],
  ['an unknown receiver is not found', { path: crypto.randomUUID() }, 404],
  ['a receiver that is no uuid is not found', { path: 'x' }, 404],
  ['a closed receiver is not found', { receiver: 'closed' }, 404],
  [
    'a compressed body is refused',
    { headers: { 'content-encoding': 'gzip', authorization: 'API-Key whsec-test' } },
    415,
  ],
  [
    'the encoding "identity" is none',
    { headers: { 'content-encoding': 'identity', authorization: 'API-Key whsec-test' } },
    200,
  ],
  ['before the secret is known the sender is asked to wait', { receiver: 'secretless' }, 503],
  [
    'a mismatch while the endpoint is being made asks to wait',
    { receiver: 'pending', headers: { authorization: 'API-Key new' } },
    503,
  ],
  [
    'a mismatch while the secret is rotated asks to wait',
    { receiver: 'rotating', headers: { authorization: 'API-Key new' } },
    503,
  ],
  ['the secret that is known is good while it is rotated', { receiver: 'rotating' }, 200],
  ['a digest whose key is missing here asks to wait', { receiver: 'foreignKey' }, 503],
]

for (const [title, request, status] of cases) {
  test(`${title}: both ways answer ${status} in the same words`, async () => {
    const receiver = receivers[request.receiver ?? 'active']
    const answers: Answered[] = []
    for (const send of Object.values(ways)) {
      const before = await logged()
      const answer = await send({
        path: request.path ?? receiver?.id ?? '',
        method: request.method ?? 'POST',
        headers: request.headers ?? { authorization: receiver?.authorization ?? '' },
        body: request.body ?? '{"type":"KYC"}',
      })
      expect(await logged()).toBe(status === 200 ? before + 1 : before)
      answers.push({ ...answer, body: answer.body.replace(/[0-9a-f-]{36}/, 'id') })
    }
    expect(answers[0]?.status).toBe(status)
    expect(answers[1]).toEqual(answers[0])
    if (status === 503) expect(Number(answers[0]?.headers['retry-after'])).toBeGreaterThan(0)
  })
}

async function logged(): Promise<number> {
  const { rows } = await server.pool.query<{ count: bigint }>('SELECT count(*) FROM delivery')
  return Number(rows[0]?.count)
}

test('the body is stored as it came, byte for byte', async () => {
  const body = Buffer.from('{ "a":1.10,\t"\\u0000":"\xff" }', 'latin1')
  const response = await fetch(server.url(receivers.active?.id ?? ''), {
    method: 'POST',
    headers: { authorization: 'API-Key whsec-test' },
    body,
  })
  const { delivery } = await response.json()
  const { rows } = await server.pool.query('SELECT body FROM delivery WHERE id = $1', [delivery])
  expect(Buffer.compare(rows[0].body, body)).toBe(0)
})

test('a doubled authorization is refused, whichever of the two is right', async () => {
  for (const both of [
    ['API-Key whsec-test', 'API-Key wrong'],
    ['API-Key wrong', 'API-Key whsec-test'],
  ]) {
    const status = await new Promise((resolve, reject) => {
      const path = `/api/webhooks/${receivers.active?.id}`
      const request = http.request({ port: server.port, path, method: 'POST' }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      request.on('error', reject)
      request.setHeader('authorization', both)
      request.end('{}')
    })
    expect(status).toBe(401)
  }
})

test('discards a delivery signed with the secret that was rotated out, at once', async () => {
  const receiver = await addReceiver(server.pool)
  const send = (secret: string) =>
    fetch(server.url(receiver.id), {
      method: 'POST',
      headers: { authorization: `API-Key ${secret}` },
      body: '{}',
    })
  expect((await send('whsec-test')).status).toBe(200)
  const { digest } = server.ingest.digester.digest('whsec-next')
  await server.pool.query('UPDATE receiver SET secret_digest = $2 WHERE id = $1', [receiver.id, digest])
  expect((await send('whsec-next')).status).toBe(200)
  expect((await send('whsec-test')).status).toBe(401)
})

test('counts what it refuses per receiver and minute', async () => {
  const receiver = await addReceiver(server.pool)
  const refuse = () =>
    fetch(server.url(receiver.id), { method: 'POST', headers: { authorization: 'API-Key no' }, body: '{}' })
  await Promise.all(Array.from({ length: 50 }, refuse))
  await expect
    .poll(async () => {
      const { rows } = await server.pool.query(
        'SELECT why, sum(count)::int AS count FROM refusal WHERE receiver_id = $1 GROUP BY why',
        [receiver.id],
      )
      return rows
    })
    .toEqual([{ why: 'wrong-secret', count: 50 }])
})

test('a match under an old key is made again under the newest', async () => {
  const newer = await startIngestServer(database.url, { keys: [testKey('k2', 8), testKey('k1')] })
  const receiver = await addReceiver(newer.pool)
  const send = () =>
    fetch(newer.url(receiver.id), {
      method: 'POST',
      headers: { authorization: receiver.authorization },
      body: '{}',
    })
  expect((await send()).status).toBe(200)
  await expect
    .poll(async () => {
      const { rows } = await newer.pool.query('SELECT secret_key_id FROM receiver WHERE id = $1', [
        receiver.id,
      ])
      return rows[0]?.secret_key_id
    })
    .toBe('k2')
  expect((await send()).status).toBe(200)
  await newer.stop()
})

test('a key that is not the one it was asks the sender to wait instead of refusing', async () => {
  const receiver = await addReceiver(server.pool)
  const wrong = await startIngestServer(database.url, { keys: [testKey('k1', 99)] })
  const response = await fetch(wrong.url(receiver.id), {
    method: 'POST',
    headers: { authorization: receiver.authorization },
    body: '{}',
  })
  expect(response.status).toBe(503)
  await wrong.stop()
})
