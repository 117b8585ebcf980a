import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sessionCookie } from '#lib/identity/sessions/session-cookie.ts'
import { changeChannel } from '#lib/platform/change-notification.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { digestToken, randomToken } from '#lib/platform/keys/digests-and-seals.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { asksForStream, type LiveProcess, startLiveProcess } from './live-process.ts'

const withheld = [
  'DATABASE_MIGRATE_URL',
  'SERVICE_API_KEY',
  'NEXTAUTH_SECRET',
  'NEXTAUTH_URL',
  'RAMPART_KEYS',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
  'SANDBOX_API_KEY',
]
const secrets = Object.fromEntries(withheld.map((name) => [name, 'of-the-server']))

let database: TestConfiguration
let live: LiveProcess
let server: http.Server
/** The process starts with this path to Node, which a test can remove. */
let folder: string
let node: string

beforeAll(async () => {
  database = await startDatabase()
  folder = await mkdtemp(path.join(os.tmpdir(), 'rampart-live-'))
  node = path.join(folder, 'node')
  await symlink(process.execPath, node)
  live = await startLiveProcess({
    env: { ...process.env, ...secrets, DATABASE_URL: database.url },
    execArgv: ['--import', './bin/hooks.mjs'],
    execPath: node,
  })
  server = http.createServer((request, response) => {
    response.setHeader('x-content-type-options', 'nosniff')
    if (asksForStream(request)) return live.take(request, response)
    response.end('a page')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  await live.stop()
  server.close()
  server.closeAllConnections()
  await database.stop()
  await rm(folder, { recursive: true })
})

async function signIn(): Promise<{ readonly sessionId: string; readonly cookie: string }> {
  const token = randomToken()
  const [sessionId, userUuid] = [crypto.randomUUID(), crypto.randomUUID()]
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, $3, 'code', 'support', now() + interval '1 hour', now() + interval '1 hour')`,
    [sessionId, digestToken(token), userUuid],
  )
  await pool().query(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'M', 'support')`, [
    crypto.randomUUID(),
    userUuid,
  ])
  const sealed = await encode({ token: { token }, secret: env().nextauthSecrets[0] })
  return { sessionId, cookie: `${sessionCookie().name}=${sealed}` }
}

interface Reading {
  readonly answer: http.IncomingMessage
  // biome-ignore-start lint/plugin: changes while the stream is read
  text: string
  ended: boolean
  // biome-ignore-end lint/plugin: as above
}

async function open(cookie: string, agent: http.Agent | false = false): Promise<Reading> {
  const [answer] = await once(get('/api/live', { cookie }, agent), 'response')
  const reading: Reading = { answer, text: '', ended: false }
  answer.on('data', (chunk: Buffer) => {
    reading.text += chunk
  })
  answer.on('error', () => undefined)
  answer.once('close', () => {
    reading.ended = true
  })
  return reading
}

const statusOfStream = async (cookie: string) => {
  const { answer } = await open(cookie)
  answer.destroy()
  return answer.statusCode
}

/** Resolves once another process than this one takes streams. A message of the old one may still arrive. */
async function startedAfter(pid: number, cookie: string): Promise<void> {
  await expect.poll(() => live.pid()).not.toBe(pid)
  await expect.poll(() => statusOfStream(cookie)).toBe(200)
}

function get(path: string, headers: Record<string, string>, agent: http.Agent | false) {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const request = http.get({ port, path, agent, headers })
  request.on('error', () => undefined)
  return request
}

/**
 * The notification is repeated: a new process takes streams before it listens, and reports changes until then without
 * subjects.
 */
async function textAfterNotifying(stream: Reading, subject: string): Promise<string> {
  const change = JSON.stringify({ at: Date.now(), subjects: [[subject, null]] })
  await pool().query('SELECT pg_notify($1, $2)', [changeChannel, change])
  return stream.text
}

test('a stream is held by another process, on the connection of its request', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const [page] = await once(get('/', {}, agent), 'response')
  page.resume()
  await once(page, 'end')
  const { sessionId, cookie } = await signIn()
  const stream = await open(cookie, agent)
  expect(stream.answer.statusCode).toBe(200)
  expect(stream.answer.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'x-content-type-options': 'nosniff',
  })
  const before = live.position()
  await expect.poll(() => textAfterNotifying(stream, 'transaction:a')).toContain('transaction:a')
  await expect.poll(() => live.position()).not.toBe(before)
  await expect.poll(() => live.recentStatus(60_000)).toMatchObject({ health: { receiving: null } })
  await pool().query('UPDATE session SET ended_at = now() WHERE id = $1', [sessionId])
  await expect.poll(() => stream.ended).toBe(true)
  expect(stream.text).toContain('signed-out')
  agent.destroy()
})

test('a request without a session is refused by the process', async () => {
  const { answer } = await open(`${sessionCookie().name}=none`)
  expect(answer.statusCode).toBe(401)
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
})

test('the process is started again when it ends, and streams are refused until then', async () => {
  const { cookie } = await signIn()
  const stream = await open(cookie)
  const pid = live.pid()
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => stream.ended).toBe(true)
  // Streams end a moment before this process learns of it, and a request between is only closed.
  const refused = async () => (await open(cookie)).answer
  await expect
    .poll(refused, { interval: 10 })
    .toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } })
  await startedAfter(pid, cookie)
  const next = await open(cookie)
  await expect.poll(() => textAfterNotifying(next, 'transaction:b')).toContain('transaction:b')
  next.answer.destroy()
})

test('a request while the process dies is answered, or its connection is closed', async () => {
  const { cookie } = await signIn()
  const pid = live.pid()
  process.kill(pid, 'SIGKILL')
  const asked = Array.from({ length: 60 }, async (_, n) => {
    await new Promise((resolve) => setTimeout(resolve, n))
    const request = get('/api/live', { cookie }, false)
    await new Promise((resolve) => request.once('response', resolve).once('close', resolve))
    request.destroy()
  })
  await Promise.all(asked)
  await startedAfter(pid, cookie)
})

test('a process that hangs gets no new streams, and takes them again once it continues', async () => {
  const { cookie } = await signIn()
  process.kill(live.pid(), 'SIGSTOP')
  // The process has said nothing for 6 s, as far as this one knows.
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 6_100)
  await expect.poll(() => statusOfStream(cookie)).toBe(503)
  clock.mockRestore()
  process.kill(live.pid(), 'SIGCONT')
  await expect.poll(() => statusOfStream(cookie)).toBe(200)
})

test('a process that could not be started is started as soon as it can be', async () => {
  const { cookie } = await signIn()
  const pid = live.pid()
  await rename(node, `${node}-gone`)
  process.kill(pid, 'SIGKILL')
  // Several starts fail meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await rename(`${node}-gone`, node)
  await startedAfter(pid, cookie)
})

/** The connection is refused or ends, and its browser never closes it. */
async function neverClosed(asked: string): Promise<net.Socket> {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const socket = net.connect({ port, allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(asked)
  await once(socket, 'end')
  return socket
}

/** Only a write shows that the other side has closed the connection. */
const isLetGo = (socket: net.Socket) => {
  socket.write(' ')
  return socket.destroyed
}

test('a refused connection is closed though its browser does not close it', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => neverClosed('GET /api/live HTTP/1.1\r\nHost: x\r\n\r\n')),
  )
  await expect.poll(() => sockets.every(isLetGo)).toBe(true)
})

test('the connection of an ended stream is closed though its browser does not close it', async () => {
  const { sessionId, cookie } = await signIn()
  const ended = neverClosed(`GET /api/live HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)
  const { rowCount } = await pool().query('SELECT 1 FROM session WHERE id = $1', [sessionId])
  expect(rowCount).toBe(1)
  const ending = setInterval(
    () =>
      void pool().query('UPDATE session SET ended_at = now() WHERE id = $1 AND ended_at IS NULL', [
        sessionId,
      ]),
    500,
  )
  const socket = await ended
  clearInterval(ending)
  await expect.poll(() => isLetGo(socket)).toBe(true)
})

test('the number of connections that wait for their session check is limited', async () => {
  const { cookie } = await signIn()
  const lock = await pool().connect()
  await lock.query('BEGIN; LOCK TABLE session IN ACCESS EXCLUSIVE MODE')
  const statuses: unknown[] = []
  const requests = Array.from({ length: 520 }, () => {
    const request = get('/api/live', { cookie }, false)
    request.once('response', (answer) => statuses.push(answer.statusCode))
    return request
  })
  await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(20)
  expect(new Set(statuses)).toEqual(new Set([503]))
  for (const request of requests) request.destroy()
  await lock.query('ROLLBACK')
  lock.release()
  await expect.poll(async () => (await open((await signIn()).cookie)).answer.statusCode).toBe(200)
})

test('the process that holds streams gets no secret but the database’s address', async () => {
  const given = fs.readFileSync(`/proc/${live.pid()}/environ`, 'utf8').split('\0')
  const names = given.map((line) => line.split('=', 1)[0])
  expect(names).toContain('DATABASE_URL')
  for (const name of withheld) expect(names).not.toContain(name)
})

/** A process waits so many milliseconds before it starts. */
function startAfter(ms: number, patience: { readonly startMs: number; readonly silenceMs: number }) {
  const pause = path.join(folder, 'pause.mjs')
  fs.writeFileSync(pause, `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`)
  return startLiveProcess({
    env: { ...process.env, ...secrets, DATABASE_URL: database.url },
    execArgv: ['--import', pause, '--import', './bin/hooks.mjs'],
    patience,
  })
}

test('a process that starts slowly is left alone', async () => {
  // The start takes longer than the silence that a running process is allowed.
  const slow = await startAfter(1_000, { startMs: 60_000, silenceMs: 400 })
  await slow.stop()
})

test('a process that never gets ready is ended', async () => {
  const stuck = startAfter(1_000_000_000, { startMs: 500, silenceMs: 400 })
  await expect(stuck).rejects.toThrow('SIGKILL')
})
