import crypto from 'node:crypto'
import net from 'node:net'
import zlib from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastForwarded } from '#lib/platform/http/find-address.ts'
import { type Answered, exchange, startBothWays } from '../../../test/both-ways.ts'
import { addReceiver, startIngestServer, testKey } from '../../../test/ingest.ts'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { storeLimits } from './store.ts'

let database: TestDatabase
let server: Awaited<ReturnType<typeof startBothWays>>
const receivers: Record<string, string> = {}

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startBothWays(database.url)
  for (const state of ['active', 'pending', 'rotating', 'closed'] as const)
    receivers[state] = (await addReceiver(server.pool, { state })).id
  receivers.secretless = (await addReceiver(server.pool, { state: 'pending', secret: null })).id
  receivers.foreignKey = (await addReceiver(server.pool, { key: testKey('lost') })).id
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})

interface Case {
  readonly receiver?: string
  readonly path?: string
  readonly method?: string
  /** The header lines are sent unchanged. The default is the right secret. */
  readonly headers?: readonly string[]
  readonly body?: string | Buffer
  /** The body is sent in chunks instead of with a known length. */
  readonly chunks?: readonly (string | Buffer)[]
}

/** The request is split into the parts in which it is sent. */
function partsOf({ receiver = 'active', path, method = 'POST', headers = [secret], body, chunks }: Case) {
  const bytes = Buffer.from(body ?? '{"type":"KYC"}')
  const head = [
    `${method} /api/webhooks/${path ?? receivers[receiver]} HTTP/1.1`,
    'Host: localhost',
    ...headers,
    chunks ? 'Transfer-Encoding: chunked' : `Content-Length: ${method === 'GET' ? 0 : bytes.length}`,
  ]
  const start = `${head.join('\r\n')}\r\n\r\n`
  if (!chunks) return [start, ...(method === 'GET' ? [] : [bytes])]
  const chunked = chunks.map((chunk) => {
    const part = Buffer.from(chunk)
    return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
  })
  return [start, ...chunked, '0\r\n\r\n']
}

const secret = 'Authorization: API-Key whsec-test'
const mebibyte = 1024 * 1024

const compressed = (coding: string, compress: (body: Buffer) => Buffer, size = 14) => ({
  headers: [secret, `Content-Encoding: ${coding}`],
  body: compress(Buffer.alloc(size, '{"type":"KYC"}')),
})
const gzipped = compressed('gzip', zlib.gzipSync)

const cases: readonly (readonly [title: string, request: Case, status: number])[] = [
  ['a delivery with the secret is stored', {}, 200],
  ['a body that is no JSON is stored', { body: 'hello' }, 200],
  ['an empty body is stored', { body: '' }, 200],
  ['bytes that are no text are stored', { body: Buffer.from([0xff, 0x00, 0xfe]) }, 200],
  ['a body of exactly 1 MiB is stored', { body: Buffer.alloc(mebibyte, 'x') }, 200],
  ['one byte more is refused', { body: Buffer.alloc(mebibyte + 1, 'x') }, 413],
  ['a body in chunks is stored', { chunks: ['{"type":', '"KYC"}'] }, 200],
  ['exactly 1 MiB in chunks is stored', { chunks: Array(16).fill(Buffer.alloc(mebibyte / 16, 'x')) }, 200],
  ['one byte more in chunks is refused', { chunks: [Buffer.alloc(mebibyte, 'x'), 'x'] }, 413],
  ['the scheme may be written in any case', { headers: ['Authorization: api-KEY whsec-test'] }, 200],
  ['the header may be written in any case', { headers: ['AUTHORIZATION: API-KEY whsec-test'] }, 200],
  ['spaces around the secret do not matter', { headers: ['Authorization:   API-Key   whsec-test  '] }, 200],
  ['a tab before the secret does not matter', { headers: ['Authorization: API-Key\twhsec-test'] }, 200],
  ['the secret has its own case', { headers: ['Authorization: API-Key WHSEC-TEST'] }, 401],
  ['a scheme without a space is refused', { headers: ['Authorization: API-Keywhsec-test'] }, 401],
  ['a wrong secret is refused', { headers: ['Authorization: API-Key whsec-wrong'] }, 401],
  ['the beginning of the secret is refused', { headers: ['Authorization: API-Key whsec-tes'] }, 401],
  ['a secret beyond ASCII is refused', { headers: ['Authorization: API-Key whsec-t\u00ebst'] }, 401],
  ['another scheme is refused', { headers: ['Authorization: Bearer whsec-test'] }, 401],
  ['no authorization is refused', { headers: [] }, 401],
  ['an empty secret is refused', { headers: ['Authorization: API-Key '] }, 401],
  [
    'a doubled authorization is refused, the first being right',
    { headers: [secret, 'Authorization: API-Key wrong'] },
    401,
  ],
  [
    'a doubled authorization is refused, the second being right',
    { headers: ['Authorization: API-Key wrong', secret] },
    401,
  ],
  ['the right authorization twice is refused', { headers: [secret, secret] }, 401],
  [
    'other headers may be doubled',
    {
      headers: [
        secret,
        'Content-Type: application/json',
        'Content-Type: text/plain',
        'Accept: a',
        'Accept: b',
      ],
    },
    200,
  ],
  ['a doubled length is refused', { headers: [secret, 'Content-Length: 14'] }, 400],
  ['GET is refused', { method: 'GET' }, 405],
  ['HEAD is refused', { method: 'HEAD', body: '' }, 405],
  ['PUT is refused', { method: 'PUT' }, 405],
  ['DELETE is refused', { method: 'DELETE' }, 405],
  ['OPTIONS is refused', { method: 'OPTIONS' }, 405],
  ['an unknown receiver is not found', { path: crypto.randomUUID() }, 404],
  ['a receiver that is no uuid is not found', { path: 'x' }, 404],
  ['a closed receiver is not found', { receiver: 'closed' }, 404],
  [
    'what says that it is compressed, and is not, is refused',
    { headers: [secret, 'Content-Encoding: gzip'] },
    415,
  ],
  ['gzip is stored', compressed('gzip', zlib.gzipSync), 200],
  ['gzip by its old name is stored', compressed('X-GZIP', zlib.gzipSync), 200],
  ['deflate is stored', compressed('deflate', zlib.deflateSync), 200],
  ['deflate without its frame is stored', compressed('deflate', zlib.deflateRawSync), 200],
  ['brotli is stored', compressed('br', zlib.brotliCompressSync), 200],
  ['zstd is stored', compressed('zstd', zlib.zstdCompressSync), 200],
  ['gzip beside identity is stored', compressed('identity, gzip', zlib.gzipSync), 200],
  ['exactly 1 MiB of gzip is stored', compressed('gzip', zlib.gzipSync, mebibyte), 200],
  ['one byte more of gzip is refused', compressed('gzip', zlib.gzipSync, mebibyte + 1), 413],
  ['a bomb of gzip is refused', compressed('gzip', zlib.gzipSync, 16 * mebibyte), 413],
  ['a bomb of brotli is refused', compressed('br', zlib.brotliCompressSync, 16 * mebibyte), 413],
  ['half of gzip is refused', { ...gzipped, body: gzipped.body.subarray(0, -9) }, 415],
  ['a compression that nobody knows is refused', { headers: [secret, 'Content-Encoding: snappy'] }, 415],
  ['compression without the secret is refused', { ...gzipped, headers: ['Content-Encoding: gzip'] }, 401],
  ['a body compressed twice is refused', { headers: [secret, 'Content-Encoding: gzip, br'] }, 415],
  [
    'a doubled encoding is refused',
    { headers: [secret, 'Content-Encoding: identity', 'Content-Encoding: gzip'] },
    415,
  ],
  ['the encoding "identity" is none', { headers: [secret, 'Content-Encoding: Identity'] }, 200],
  ['before the secret is known the sender is asked to wait', { receiver: 'secretless' }, 503],
  [
    'a mismatch while the endpoint is being made asks to wait',
    { receiver: 'pending', headers: ['Authorization: API-Key new'] },
    503,
  ],
  [
    'a mismatch while the secret is rotated asks to wait',
    { receiver: 'rotating', headers: ['Authorization: API-Key new'] },
    503,
  ],
  ['the secret that is known is good while it is rotated', { receiver: 'rotating' }, 200],
  ['a digest whose key is missing here asks to wait', { receiver: 'foreignKey' }, 503],
]

test.each(cases)(
  '%s: both request paths give the same answer, and other deliveries are stored',
  async (_title, request, status) => {
    const before = await logged()
    const others = Object.values(server.ports).map((port) => exchange(port, partsOf({})))
    const answers = await Promise.all(
      Object.values(server.ports).map((port) => exchange(port, partsOf(request))),
    )
    const [fast, route] = answers.map(withoutIds)
    expect(fast?.status).toBe(status)
    expect(route).toEqual(fast)
    for (const other of await Promise.all(others)) expect(other?.status).toBe(200)
    expect(await logged()).toBe(before + (status === 200 ? 4 : 2))
    if (status === 503) expect(fast?.headers).toContainEqual(expect.stringMatching(/^retry-after: [1-9]/))
  },
)

const withoutIds = (answer: Answered | null) =>
  answer && {
    ...answer,
    body: answer.body.replace(/[0-9a-f-]{36}/, 'id'),
    headers: answer.headers.map((header) => header.replace(/^(x-request-id: )[0-9a-f-]{36}$/, '$1id')),
  }

async function logged(): Promise<number> {
  const { rows } = await server.pool.query<{ count: bigint }>('SELECT count(*) FROM delivery')
  return Number(rows[0]?.count)
}

test('one byte after another is given up: both request paths give the same answer', async () => {
  const before = await logged()
  const hasty = await startBothWays(database.url, { bodyMs: 1_000 })
  const parts = partsOf({ chunks: Array(100).fill('x') })
  const answers = await Promise.all(Object.values(hasty.ports).map((port) => exchange(port, parts, 100)))
  const [fast, route] = answers.map(withoutIds)
  expect(fast?.status).toBe(408)
  expect(route).toEqual(fast)
  await hasty.stop()
  expect(await logged()).toBe(before)
})

test('a receiver id may be in upper case', async () => {
  const path = receivers.active?.toUpperCase() ?? ''
  for (const port of Object.values(server.ports))
    expect(await exchange(port, partsOf({ path }))).toMatchObject({ status: 200 })
})

test.each(['end', 'destroy'] as const)(
  'a connection cut in the middle of a body (%s) leaves nothing, and hurts no neighbour',
  async (how) => {
    const before = await logged()
    for (const port of Object.values(server.ports)) {
      const socket = net.connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      const [head = '', body = ''] = partsOf({})
      await new Promise<void>((resolve) => socket.write(head, () => resolve()))
      socket.write(body.slice(0, 5))
      await new Promise((resolve) => setTimeout(resolve, 50))
      socket[how]()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await exchange(port, partsOf({}))).toMatchObject({ status: 200 })
    }
    expect(await logged()).toBe(before + 2)
  },
)

test('a hanging database is answered 503 in time on both request paths, for each table that hangs', async () => {
  expect(await exchange(server.port, partsOf({}))).toMatchObject({ status: 200 })
  const hold = await server.pool.connect()
  await hold.query('BEGIN; LOCK TABLE receiver, delivery_pending IN ACCESS EXCLUSIVE MODE')
  // The row of a receiver that is not cached has to be read.
  const asked = [{ path: crypto.randomUUID() }, {}].flatMap((request) =>
    Object.values(server.ports).map((port) => exchange(port, partsOf(request))),
  )
  const answers = await Promise.all(asked)
  await hold.query('ROLLBACK')
  hold.release()
  for (const answer of answers) {
    expect(answer?.status).toBe(503)
    expect(answer?.headers).toContain('retry-after: 5')
  }
  await expect.poll(() => exchange(server.port, partsOf({}))).toMatchObject({ status: 200 })
})

test('a delivery that cannot be stored in time is refused at once', async () => {
  const slow = await createTestDatabase()
  const busy = await startIngestServer(slow.url, { limits: { ...storeLimits, answerMs: 1_000, maxBatch: 2 } })
  const { id, authorization } = await addReceiver(busy.pool)
  const send = () => fetch(busy.url(id), { method: 'POST', headers: { authorization }, body: '{}' })
  await busy.pool.query(`
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END $$;
    CREATE TRIGGER slow AFTER INSERT ON delivery_pending EXECUTE FUNCTION slow()`)
  expect((await send()).status).toBe(200)
  let answered = 0
  const others = Array.from({ length: 100 }, () => send().then(() => answered++))
  await expect.poll(() => busy.ingest.store.estimatedWaitMs(), { interval: 10 }).toBeGreaterThan(2_000)
  const { status, headers } = await send()
  expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  expect(answered).toBeLessThan(others.length)
  await Promise.all(others)
  await busy.stop()
  await slow.drop()
})

test('the body is stored byte for byte', async () => {
  const body = Buffer.from('{ "a":1.10,\t"\\u0000":"\xff" }', 'latin1')
  const response = await fetch(server.url(receivers.active ?? ''), {
    method: 'POST',
    headers: { authorization: 'API-Key whsec-test' },
    body,
  })
  const { delivery } = await response.json()
  const { rows } = await server.pool.query('SELECT body FROM delivery WHERE id = $1', [delivery])
  expect(Buffer.compare(rows[0].body, body)).toBe(0)
})

test('a compressed body is stored decompressed, so that its retry is equal', async () => {
  const body = Buffer.from('{ "a":1.10 }')
  for (const compress of [zlib.gzipSync, zlib.brotliCompressSync]) {
    const coding = compress === zlib.gzipSync ? 'gzip' : 'br'
    const answer = await fetch(server.url(receivers.active ?? ''), {
      method: 'POST',
      headers: { authorization: 'API-Key whsec-test', 'content-encoding': coding },
      body: new Uint8Array(compress(body)),
    })
    const { delivery } = await answer.json()
    const { rows } = await server.pool.query('SELECT body FROM delivery WHERE id = $1', [delivery])
    expect(rows[0].body).toEqual(body)
  }
})

test('the answer to a refused secret says what was missing', async () => {
  const said = async (headers: Record<string, string>) =>
    (await fetch(server.url(receivers.active ?? ''), { method: 'POST', headers, body: '{}' })).text()
  expect(await said({})).toContain('no Authorization header')
  expect(await said({ authorization: 'Basic eDp5' })).toContain('another scheme than API-Key')
  expect(await said({ authorization: 'API-Key no' })).toContain('does not match')
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

test('the cached row of a receiver in use is refreshed before it expires, so no delivery waits for it', async () => {
  const receiver = await addReceiver(server.pool)
  const send = () =>
    fetch(server.url(receiver.id), {
      method: 'POST',
      headers: { authorization: receiver.authorization },
      body: '{}',
    })
  // A cached row is trusted for 2 s, and read again after 1 s.
  for (let passed = 0; passed < 2_000; passed += 400) {
    expect((await send()).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  const hold = await server.pool.connect()
  await hold.query('BEGIN; LOCK TABLE receiver IN ACCESS EXCLUSIVE MODE')
  const answer = await send()
  await hold.query('ROLLBACK')
  hold.release()
  expect(answer.status).toBe(200)
})

test('rows for wrong secrets are read at least 20 ms apart, however fast they come', async () => {
  const receiver = await addReceiver(server.pool)
  const began = performance.now()
  for (let n = 0; n <= 30; n++) {
    const response = await fetch(server.url(receiver.id), {
      method: 'POST',
      headers: { authorization: 'API-Key no' },
      body: '{}',
    })
    expect(response.status).toBe(401)
  }
  expect(performance.now() - began).toBeGreaterThan(30 * 20 - 5)
})

const countsOf = async (receiverId: string) =>
  (
    await server.pool.query<{ why: string; count: number }>(
      'SELECT why, sum(count)::int AS count FROM refusal WHERE receiver_id = $1 GROUP BY why ORDER BY why',
      [receiverId],
    )
  ).rows

test.each([
  ['wrong-secret', {}, { headers: ['Authorization: API-Key no'] }],
  ['no-authorization', {}, { headers: [] }],
  ['no-authorization', {}, { headers: ['Authorization:'] }],
  ['no-authorization', {}, { headers: ['Authorization: API-Key '] }],
  ['other-scheme', {}, { headers: ['Authorization: Basic cHJveHk6c2VjcmV0'] }],
  ['other-scheme', {}, { headers: ['Authorization: Bearer whsec-test'] }],
  ['other-scheme', {}, { headers: ['Authorization: whsec-test'] }],
  ['secret-not-known-yet', { state: 'rotating' }, { headers: [] }],
  ['encoded', {}, { headers: [secret, 'Content-Encoding: gzip'] }],
  ['too-large', {}, { body: Buffer.alloc(mebibyte + 1, 'x') }],
  ['too-large', {}, { chunks: [Buffer.alloc(mebibyte, 'x'), 'x'] }],
  ['wrong-method', {}, { method: 'GET' }],
  ['unknown-receiver', { state: 'closed' }, {}],
  ['secret-not-known-yet', { state: 'rotating' }, { headers: ['Authorization: API-Key no'] }],
  ['secret-not-known-yet', { state: 'pending', secret: null }, {}],
  ['secret-not-checkable', { key: testKey('lost') }, {}],
] as const)(
  'counts what it refuses as %s, per receiver and minute, on both ways',
  async (why, kind, request) => {
    const { id: path } = await addReceiver(server.pool, kind)
    const refuse = (port: number) => exchange(port, partsOf({ ...request, path }))
    await Promise.all([...Array(4)].flatMap(() => Object.values(server.ports).map(refuse)))
    await expect.poll(() => countsOf(path)).toEqual([{ why, count: 8 }])
  },
)

test('counts a body that breaks off', async () => {
  const { id: path } = await addReceiver(server.pool)
  const [head = '', body = ''] = partsOf({ path })
  for (const port of Object.values(server.ports)) {
    const socket = net.connect(port, '127.0.0.1')
    await new Promise<void>((resolve) => socket.write(`${head}${body.slice(0, 5)}`, () => resolve()))
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.destroy()
  }
  await expect.poll(() => countsOf(path)).toEqual([{ why: 'broken-off', count: 2 }])
})

test('counts refusals in memory while the database is unreachable, and writes them afterwards', async () => {
  const { id, authorization } = await addReceiver(server.pool)
  const send = (receiver: string) =>
    fetch(server.url(receiver), { method: 'POST', headers: { authorization }, body: '{}' })
  expect((await send(id)).status).toBe(200)
  const hold = await server.pool.connect()
  await hold.query('BEGIN; LOCK TABLE delivery_pending, refusal, receiver IN ACCESS EXCLUSIVE MODE')
  const logged = captureLog()
  const answers = await Promise.all([...Array(5)].map(() => send(id)))
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(503))
  await hold.query('ROLLBACK')
  hold.release()
  const total = async () => (await countsOf(id)).reduce((sum, { count }) => sum + count, 0)
  await expect.poll(total, { timeout: 15_000 }).toBe(5)
  // The log still sums up deliveries of earlier tests to other receivers.
  const deferrals = () =>
    logged.lines.filter(
      ({ message, receiver }) => message === 'A delivery was answered 503' && receiver === id,
    )
  await expect.poll(deferrals, { timeout: 15_000 }).not.toEqual([])
  logged.stop()
  expect(deferrals().length).toBeLessThan(5)
  const cause = expect.stringMatching(/^(database|too-late)/)
  expect(deferrals()[0]).toMatchObject({ level: 'error', component: 'ingest', cause })
})

test('counts nothing for ids that never were a receiver, however many requests come', async () => {
  const ids = [...Array(100)].map(() => crypto.randomUUID())
  const known = (await addReceiver(server.pool)).id
  const refuse = (path: string) => exchange(server.port, partsOf({ path, headers: [] }))
  expect((await refuse(known))?.status).toBe(401)
  await Promise.all([...ids, known].map(refuse))
  await expect.poll(() => countsOf(known)).toEqual([{ why: 'no-authorization', count: 2 }])
  expect((await server.pool.query('SELECT FROM refusal WHERE receiver_id = ANY($1)', [ids])).rowCount).toBe(0)
})

test('keeps the addresses of wrong secrets, at most twenty per hour', async () => {
  const { id } = await addReceiver(server.pool)
  const proxied = await startIngestServer(database.url, {
    findAddress: (_connection, forwardedFor) => lastForwarded(forwardedFor),
  })
  const knock = (from: string) =>
    fetch(proxied.url(id), {
      method: 'POST',
      headers: { authorization: 'API-Key no', 'x-forwarded-for': `6.6.6.6, ${from}` },
      body: '{}',
    })
  const callers = async () =>
    (
      await server.pool.query<{ address: string; count: number }>(
        'SELECT address, sum(count)::int AS count FROM refused_caller WHERE receiver_id = $1 GROUP BY 1 ORDER BY 2 DESC, 1',
        [id],
      )
    ).rows
  for (const from of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) await knock(from)
  await fetch(server.url(id), { method: 'POST', headers: { 'x-forwarded-for': '192.0.2.3' } })
  await expect
    .poll(callers)
    .toEqual([
      { address: '192.0.2.1', count: 2 },
      expect.objectContaining({ count: 1, address: expect.stringMatching(/127\.0\.0\.1$/) }),
      { address: '192.0.2.2', count: 1 },
    ])
  await Promise.all([...Array(60)].map((_, n) => knock(`198.51.100.${n}`)))
  await expect.poll(async () => (await callers()).reduce((sum, { count }) => sum + count, 0)).toBe(64)
  const found = await callers()
  expect(found.length).toBeLessThanOrEqual(24)
  expect(found[0]?.address).toBe('')
  await proxied.stop()
})

test('a fault of a process that was killed goes at the next start, while its lease is still kept', async () => {
  await server.pool.query(
    `WITH held AS (
       INSERT INTO lease (name, holder, epoch, expires_at)
       SELECT 'keys:' || id || ':', id, 1, now() - interval '1 minute' FROM gen_random_uuid() AS id RETURNING holder
     )
     INSERT INTO key_fault (process, key_id, kind) SELECT holder, 'killed', 'changed' FROM held`,
  )
  const next = await startIngestServer(database.url, { keys: [testKey('k1')] })
  await next.ingest.begin()
  expect((await server.pool.query(`SELECT FROM key_fault WHERE key_id = 'killed'`)).rowCount).toBe(0)
  await next.stop()
})

test('a changed key answers 503 instead of a refusal, and logs the reason', async () => {
  const receiver = await addReceiver(server.pool)
  const faults = async () =>
    (await server.pool.query('SELECT key_id, kind FROM key_fault ORDER BY key_id')).rows
  const logged = captureLog()
  const writes: (string | null)[] = []
  const wrong = await startIngestServer(database.url, {
    keys: [testKey('k1', 99)],
    onAgreed: (agreement) => void writes.push(agreement.writes),
  })
  await wrong.ingest.begin()
  // Nothing is written under it after the check.
  expect(writes).toEqual(['k1', null])
  // Earlier tests leave receivers under other keys.
  expect(await faults()).toContainEqual({ key_id: 'k1', kind: 'changed' })
  const message = expect.stringMatching(/^RAMPART_KEYS: the key k1 is not the one/)
  expect(logged.lines).toContainEqual(expect.objectContaining({ level: 'error', keyId: 'k1', message }))
  const response = await fetch(wrong.url(receiver.id), {
    method: 'POST',
    headers: { authorization: receiver.authorization },
    body: '{}',
  })
  expect(response.status).toBe(503)
  // Another process deletes it when the database was away for long.
  await server.pool.query('DELETE FROM key_fault')
  await expect.poll(faults, { timeout: 10_000 }).toContainEqual({ key_id: 'k1', kind: 'changed' })
  await wrong.stop()
  expect(await faults()).not.toContainEqual({ key_id: 'k1', kind: 'changed' })
  logged.stop()
})
