import { fork } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Role } from '#lib/access/rules/roles.ts'
import { findToken, sessionCookie } from '#lib/identity/sessions/session-cookie.ts'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import { type Listener, openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { digestToken, randomToken } from '#lib/platform/keys/digests-and-seals.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { inMeasuredTime } from '../../test/service.ts'
import { holdConnection } from './hold-connection.ts'
import { openLiveWebRequest, wantedOf } from './open-live-stream.ts'
import { openStreams, type Streams } from './streams.ts'

let database: TestConfiguration
let listener: Listener
let usual: Streams
/** These streams have a heartbeat every 50 ms, and at most three places. */
let small: Streams
/** These streams never give up a reader that does not read. */
let patient: Streams
let broken: Streams
let server: http.Server
const connections = new Set<net.Socket>()

beforeAll(async () => {
  database = await startDatabase()
  listener = openListener(database.url)
  usual = openStreams(listener, pool())
  small = openStreams(listener, pool(), { limits: { ofSession: 2, ofProcess: 3, heartbeat: 50, check: 50 } })
  const limits = { ofSession: 6, ofProcess: 2_000, heartbeat: 5_000, check: 600_000 }
  patient = openStreams(listener, pool(), { limits })
  broken = {
    ...usual,
    open() {
      throw new Error('as a fault would')
    },
  }
  await new Promise<void>((resolve) => listener.onListening(resolve))
  server = http.createServer(async ({ headers, socket, url }) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    const request = {
      token: await findToken(headers.cookie ?? null),
      ...wantedOf(String(headers['last-event-id'] ?? ''), url),
    }
    const streams = { small, patient, broken }[String(headers['x-streams'])] ?? usual
    holdConnection({ request, headers: {} }, socket, streams)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  usual.close()
  small.close()
  patient.close()
  await listener.close()
  await database.stop()
})

const ana = crypto.randomUUID()

interface SignedIn {
  readonly userUuid: string
  readonly sessionId: string
  readonly token: string
  readonly cookie: string
}

async function signIn(role: Role, userUuid: string = crypto.randomUUID()): Promise<SignedIn> {
  const token = randomToken()
  const sessionId = crypto.randomUUID()
  const later = new Date(Date.now() + 3_600_000)
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, $3, 'code', $4, $5, $5)`,
    [sessionId, digestToken(token), userUuid, role, later],
  )
  if (role !== 'end-user')
    await pool().query(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'M', $3)`, [
      crypto.randomUUID(),
      userUuid,
      role,
    ])
  const sealed = await encode({ token: { token }, secret: env().nextauthSecrets[0] })
  return { userUuid, sessionId, token, cookie: `other=1; ${sessionCookie().name}=${sealed}` }
}

interface Reading {
  readonly status: number
  readonly retryAfter: string | undefined
  // biome-ignore-start lint/plugin: changes while the stream is read
  text: string
  /** The stream ended at this time, in ms since 1970; null while it is open. */
  endedAt: number | null
  // biome-ignore-end lint/plugin: as above
  leave(): void
}

async function open(
  { cookie }: SignedIn,
  headers: Record<string, string> = {},
  from: string | null = null,
): Promise<Reading> {
  const path = from === null ? '/api/live' : `/api/live?from=${from}`
  const request = http.get({ port: port(), path, agent: false, headers: { cookie, ...headers } })
  request.on('error', () => undefined)
  const [answer] = await once(request, 'response')
  expect(answer.headers['cache-control']).toMatch(/^no-store/)
  const reading: Reading = {
    status: answer.statusCode,
    retryAfter: answer.headers['retry-after'],
    text: '',
    endedAt: null,
    leave: () => request.destroy(),
  }
  answer.on('data', (chunk: Buffer) => {
    reading.text += chunk
  })
  answer.on('error', () => undefined)
  answer.once('close', () => {
    reading.endedAt = Date.now()
  })
  return reading
}

const port = () => {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const messages = ({ text }: Reading) => text.match(/^data: \{"kind":"changed"/gm)?.length ?? 0

const statuses = ({ text }: Reading): unknown[] =>
  [...text.matchAll(/^event: status\ndata: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))

const idsOf = ({ text }: Reading) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id)

const notify = (...subjects: [string, string | null][]) =>
  pool().query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
    changeChannel,
    changePayloads(
      subjects.map(([subjectId, userUuid]) => ({ subjectId, userUuid })),
      Date.now(),
    ),
  ])

test('staff are notified of every subject, an end user only of their own', async () => {
  const staff = await open(await signIn('support'))
  const person = await open(await signIn('end-user', ana))
  await notify(['transaction:a', ana], ['transaction:b', crypto.randomUUID()], ['unknown:c', null])
  await expect.poll(() => staff.text).toContain('"transaction:a","transaction:b","unknown:c"')
  // A person's page is told of a transaction that it does not know yet.
  expect(staff.text).toContain(`"of:${ana}"`)
  await expect.poll(() => person.text).toContain('"subjects":["transaction:a"]')
  await notify(['transaction:d', crypto.randomUUID()])
  await expect.poll(() => staff.text).toContain('transaction:d')
  expect(person.text).not.toContain('transaction:d')
  expect(messages(person)).toBe(1)
  staff.leave()
  person.leave()
})

test('without a session there is no stream', async () => {
  const stranger = await open({ ...(await signIn('support')), cookie: `${sessionCookie().name}=made-up` })
  expect(stranger).toMatchObject({ status: 401, text: '' })
})

test('the API route opens the same stream where our own server does not run', async () => {
  const { cookie, sessionId } = await signIn('support')
  const leaving = new AbortController()
  const request = new Request('http://localhost/api/live', { headers: { cookie }, signal: leaving.signal })
  const answer = await openLiveWebRequest(request, usual)
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  const seen = { text: '', ended: false }
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) seen.text += Buffer.from(chunk)
    seen.ended = true
  })()
  await notify(['transaction:route', null])
  await expect.poll(() => seen.text).toContain('transaction:route')
  await pool().query('UPDATE session SET ended_at = now() WHERE id = $1', [sessionId])
  await expect.poll(() => seen.ended).toBe(true)
  await reading
  expect((await openLiveWebRequest(new Request('http://localhost/api/live'), usual)).status).toBe(401)
})

test('a browser that reconnects gets what it missed, or that anything may have changed', async () => {
  const caller = await signIn('support')
  const first = await open(caller)
  await notify(['transaction:e', null])
  await expect.poll(() => first.text).toContain('transaction:e')
  first.leave()
  const other = await open(caller)
  await notify(['transaction:f', null])
  await expect.poll(() => other.text).toContain('transaction:f')
  await notify(['transaction:g', ana])
  await expect.poll(() => other.text).toContain('transaction:g')
  const lastEventId = idsOf(first).at(-1) ?? ''
  const again = await open(caller, { 'last-event-id': lastEventId })
  await expect.poll(() => again.text).toContain('"transaction:f","transaction:g"')
  expect(again.text).not.toContain('transaction:e')
  const person = await open(await signIn('end-user', ana), { 'last-event-id': lastEventId })
  await expect.poll(() => person.text).toContain('["transaction:g"]')
  const stranger = await open(caller, { 'last-event-id': 'another-process.7' })
  await expect.poll(() => stranger.text).toContain('"subjects":null')
  for (const one of [other, again, person, stranger]) one.leave()
})

test('a page that opens a stream gets the changes after it was made, and nothing else', async () => {
  const caller = await signIn('support')
  const witness = await open(caller)
  await notify(['transaction:before', null])
  await expect.poll(() => witness.text).toContain('transaction:before')
  const position = usual.position()
  const upToDate = await open(caller, {}, position)
  await notify(['transaction:after', null])
  await expect.poll(() => witness.text).toContain('transaction:after')
  const later = await open(caller, {}, position)
  await expect.poll(() => later.text).toContain('"subjects":["transaction:after"]')
  await expect.poll(() => upToDate.text).toContain('"subjects":["transaction:after"]')
  expect([messages(upToDate), messages(later)]).toEqual([1, 1])
  const lost = await open(caller, {}, position.replace(/\d+$/, '999999'))
  await expect.poll(() => lost.text).toContain('"subjects":null')
  // The message gives the browser the present position.
  expect(lost.text).toContain(`id: ${usual.position()}`)
  for (const one of [witness, upToDate, later, lost]) one.leave()
})

test('staff get the status as their role may see it, and again at once when a gap or an alert changes', async () => {
  const [support, compliance, customer] = [
    await open(await signIn('support')),
    await open(await signIn('compliance')),
    await open(await signIn('end-user')),
  ]
  await expect
    .poll(() => statuses(support).at(-1))
    .toMatchObject({ health: { gap: null }, counts: { gaps: 0 } })
  await expect.poll(() => statuses(compliance).at(-1)).toMatchObject({ health: null, counts: { gaps: null } })
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'down', '', now() - interval '1 minute')`,
  )
  await expect
    .poll(() => statuses(support).at(-1))
    .toMatchObject({ health: { gap: { kind: 'down', severity: 'error' } }, counts: { gaps: 1 } })
  await pool().query(`UPDATE gap SET outcome = 'no-gap', ended_at = now()`)
  await expect
    .poll(() => statuses(support).at(-1))
    .toMatchObject({ health: { gap: null }, counts: { gaps: 0 } })
  await pool().query(
    `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at)
     VALUES (gen_random_uuid(), 'silence', '', 1, 1, 1, now())`,
  )
  await expect.poll(() => statuses(support).at(-1)).toMatchObject({ counts: { alerts: 1 } })
  await pool().query('UPDATE alert SET acknowledged_at = now()')
  await expect.poll(() => statuses(support).at(-1)).toMatchObject({ counts: { alerts: 0 } })
  expect(JSON.stringify(statuses(compliance))).not.toContain('down')
  expect(statuses(customer)).toEqual([])
  for (const one of [support, compliance, customer]) one.leave()
})

test('a burst of 1,000 changes makes at most ten messages a second, and no subject is lost', async () => {
  const staff = await open(await signIn('support'))
  await new Promise((resolve) => setTimeout(resolve, 150))
  const all = Array.from({ length: 1_000 }, (_, index) => `transaction:burst-${index}`)
  const began = performance.now()
  for (const [index, subject] of all.entries()) {
    await notify([subject, null])
    if (index % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 60))
  }
  await expect.poll(() => staff.text).toContain('"transaction:burst-999"')
  const seconds = (performance.now() - began) / 1_000
  expect(messages(staff)).toBeLessThanOrEqual(10 * seconds + 1)
  expect(all.filter((subject) => !staff.text.includes(`"${subject}"`))).toEqual([])
  staff.leave()
})

test('a batch too large for one notification is sent in at most two messages', async () => {
  const many = Array.from({ length: 300 }, (_, i): [string, string] => [
    `transaction:${i}-${crypto.randomUUID()}`,
    ana,
  ])
  const staff = await open(await signIn('support'))
  await new Promise((resolve) => setTimeout(resolve, 150))
  await notify(...many)
  await expect.poll(() => many.every(([id]) => staff.text.includes(id))).toBe(true)
  // The subjects of the first notification are sent at once, perhaps before the others have arrived.
  expect(messages(staff)).toBeLessThanOrEqual(2)
  staff.leave()
})

test('a change of more subjects than a message can name says that anything may have changed', async () => {
  const staff = await open(await signIn('support'))
  // The subjects are too many for two messages as well: the first may be sent before all have arrived.
  await notify(...Array.from({ length: 3_000 }, (_, i): [string, null] => [`transaction:many-${i}`, null]))
  await expect.poll(() => staff.text).toContain('"subjects":null')
  staff.leave()
})

/** The result is the ms by which this machine was late at most until the stream ended. */
async function latenessUntilEnd(stream: Reading): Promise<number> {
  const [, late] = await inMeasuredTime(() => expect.poll(() => stream.endedAt).not.toBeNull())
  return late
}

test('a stream ends within a second when its session ends in another process', async () => {
  const caller = await signIn('support')
  const [ended, goesOn] = [await open(caller), await open(await signIn('support'))]
  const child = fork(path.join(import.meta.dirname, '../../test/end-session-process.ts'), [caller.token], {
    execArgv: ['--import', path.join(import.meta.dirname, '../../bin/hooks.mjs')],
  })
  const [at, late] = await inMeasuredTime(async () => {
    const [said] = await once(child, 'message')
    await expect.poll(() => ended.endedAt).not.toBeNull()
    return said
  })
  expect(Number(ended.endedAt) - at).toBeLessThan(1_000 + late)
  expect(goesOn.endedAt).toBeNull()
  goesOn.leave()
})

test('a stream of a member without an account ends within a second when the member is removed', async () => {
  const caller = await signIn('support')
  await pool().query(
    `WITH known AS (UPDATE member SET user_uuid = NULL WHERE user_uuid = $2 RETURNING id)
     UPDATE session SET user_uuid = NULL, member_id = (SELECT id FROM known) WHERE id = $1`,
    [caller.sessionId, caller.userUuid],
  )
  const stream = await open(caller)
  expect(stream.status).toBe(200)
  await pool().query(
    'UPDATE member SET removed_at = now() WHERE id = (SELECT member_id FROM session WHERE id = $1)',
    [caller.sessionId],
  )
  const at = Date.now()
  const late = await latenessUntilEnd(stream)
  expect(Number(stream.endedAt) - at).toBeLessThan(1_000 + late)
})

test.each([
  ['its session is revoked by hand', `UPDATE session SET ended_at = now() WHERE id = $1`],
  ['its session is deleted', 'DELETE FROM session WHERE id = $1'],
  [
    'the member is removed',
    `UPDATE member SET removed_at = now() WHERE user_uuid = (SELECT user_uuid FROM session WHERE id = $1)`,
  ],
  [
    'the role changes',
    `UPDATE member SET role = 'auditor' WHERE user_uuid = (SELECT user_uuid FROM session WHERE id = $1)`,
  ],
])('a stream ends within a second when %s', async (_when, statement) => {
  const caller = await signIn('support')
  const [stream, other] = [await open(caller), await open(await signIn('support'))]
  await pool().query(statement, [caller.sessionId])
  const at = Date.now()
  const late = await latenessUntilEnd(stream)
  expect(Number(stream.endedAt) - at).toBeLessThan(1_000 + late)
  expect(other.endedAt).toBeNull()
  other.leave()
})

test('a stream ends within a second of the expiry of its session, and does not extend it', async () => {
  const caller = await signIn('support')
  const { rows } = await pool().query<{ at: Date }>(
    `UPDATE session SET idle_expires_at = now() + interval '2 s' WHERE id = $1 RETURNING idle_expires_at AS at`,
    [caller.sessionId],
  )
  const stream = await open(caller)
  const late = await latenessUntilEnd(stream)
  const after = Number(stream.endedAt) - Number(rows[0]?.at)
  expect(after).toBeGreaterThan(-100)
  expect(after).toBeLessThan(1_000 + late)
})

test.each([-60, 60])(
  'a stream ends with its session where this machine’s clock is %s minutes ahead of the database’s',
  async (ahead) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 60_000, shouldAdvanceTime: true })
    try {
      const caller = await signIn('support')
      const lasts = (ms: number) =>
        pool().query(
          'UPDATE session SET created_at = $2, last_seen_at = $2, idle_expires_at = $3 WHERE id = $1',
          [caller.sessionId, new Date(), new Date(Date.now() + ms)],
        )
      await lasts(3_000)
      const stream = await open(caller)
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(stream.endedAt).toBeNull()
      await expect.poll(() => stream.endedAt).not.toBeNull()
    } finally {
      vi.useRealTimers()
    }
  },
)

test('a session that is used meanwhile keeps its stream', async () => {
  const caller = await signIn('support')
  const { rows } = await pool().query<{ at: Date }>(
    `UPDATE session SET idle_expires_at = now() + interval '3 s' WHERE id = $1 RETURNING idle_expires_at AS at`,
    [caller.sessionId],
  )
  const stream = await open(caller)
  await pool().query(`UPDATE session SET idle_expires_at = now() + interval '1 hour' WHERE id = $1`, [
    caller.sessionId,
  ])
  const left = Number(rows[0]?.at) - Date.now()
  await new Promise((resolve) => setTimeout(resolve, left + 500))
  expect(stream.endedAt).toBeNull()
  stream.leave()
})

test('the newest stream of a session displaces its oldest, which is told so; other sessions keep theirs', async () => {
  const caller = await signIn('support')
  const other = await open(await signIn('support'))
  const six = [await open(caller)]
  while (six.length < 6) six.push(await open(caller))
  const seventh = await open(caller)
  expect(seventh.status).toBe(200)
  await expect.poll(() => six[0]?.endedAt).not.toBeNull()
  expect(six[0]?.text).toMatch(/data: \{"kind":"displaced"\}\n\n$/)
  expect([...six.slice(1), seventh, other].map(({ endedAt }) => endedAt)).toEqual(Array(7).fill(null))
  for (const stream of [...six, seventh, other]) stream.leave()
})

test('pages behind a proxy that keeps old streams open are never refused', async () => {
  const caller = await signIn('end-user')
  const left: Reading[] = []
  while (left.length < 20) left.push(await open(caller))
  expect(left.map(({ status }) => status)).toEqual(Array(20).fill(200))
  await expect.poll(() => left.filter(({ endedAt }) => endedAt === null)).toHaveLength(6)
  for (const stream of left) stream.leave()
})

test('a displaced page asks for a free place, and displaces nobody', async () => {
  const caller = await signIn('support')
  const six = [await open(caller)]
  while (six.length < 6) six.push(await open(caller))
  expect(await open(caller, {}, 'a.1&if-free')).toMatchObject({ status: 429, retryAfter: '15' })
  expect(six.map(({ endedAt }) => endedAt)).toEqual(Array(6).fill(null))
  six[3]?.leave()
  await expect
    .poll(async () => {
      const seventh = await open(caller, {}, 'a.1&if-free')
      seventh.leave()
      return seventh.status
    })
    .toBe(200)
  for (const stream of six) stream.leave()
})

test('beyond the limit of the process a stream is refused, unless its own session has one to displace', async () => {
  const headers = { 'x-streams': 'small' }
  const first = await signIn('support')
  const three = [await open(first, headers)]
  while (three.length < 3) three.push(await open(await signIn('support'), headers))
  expect(await open(await signIn('support'), headers)).toMatchObject({ status: 503, retryAfter: '15' })
  const again = await open(first, headers)
  expect(again.status).toBe(200)
  await expect.poll(() => three[0]?.endedAt).not.toBeNull()
  for (const stream of [...three, again]) stream.leave()
})

test('a stream that cannot be opened ends with an answer', async () => {
  const failed = await open(await signIn('support'), { 'x-streams': 'broken' })
  expect(failed.status).toBe(500)
  await expect.poll(() => failed.endedAt).not.toBeNull()
})

test('a stream is refused for a moment while the pool has no place for its session', async () => {
  const caller = await signIn('support')
  const { options } = pool()
  const { connectionTimeoutMillis } = options
  const held = await Promise.all(Array.from({ length: options.max }, () => pool().connect()))
  options.connectionTimeoutMillis = 100
  expect(await open(caller)).toMatchObject({ status: 503, retryAfter: '2' })
  const answer = await openLiveWebRequest(
    new Request('http://x/api/live', { headers: { cookie: caller.cookie } }),
    usual,
  )
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
  options.connectionTimeoutMillis = connectionTimeoutMillis
  for (const client of held) client.release()
  const stream = await open(caller)
  expect(stream.status).toBe(200)
  stream.leave()
})

test('a stream sends a heartbeat at once, and then less than 6 s apart', async () => {
  const stream = await open(await signIn('end-user'))
  const beats = () => stream.text.match(/^event: beat$/gm)?.length ?? 0
  const takes = async (count: number) => {
    const began = performance.now()
    const [, late] = await inMeasuredTime(() => expect.poll(beats).toBeGreaterThanOrEqual(count))
    return performance.now() - began - late
  }
  // All streams share one timer, so the second heartbeat may follow the first at once.
  expect(await takes(1)).toBeLessThan(1_000)
  expect(await takes(beats() + 1)).toBeLessThan(6_000)
  stream.leave()
})

test('the heartbeat shows that the stream works, and gives its position to staff alone', async () => {
  const stream = await open(await signIn('support'), { 'x-streams': 'small' })
  const customer = await open(await signIn('end-user'), { 'x-streams': 'small' })
  await expect.poll(() => stream.text).toMatch(/^event: beat\ndata: [0-9a-z]+\.\d+$/m)
  await expect.poll(() => customer.text).toMatch(/^event: beat\ndata: $/m)
  expect(customer.text).not.toMatch(/^data: ./m)
  stream.leave()
  customer.leave()
})

test('an end user sees from no position how much others received', async () => {
  const began = Date.now()
  const [caller, staff] = [await signIn('end-user', ana), await open(await signIn('support'))]
  const person = await open(caller)
  const changed = async (subjectId: string, userUuid: string | null) => {
    await notify([subjectId, userUuid])
    await expect.poll(() => staff.text).toContain(subjectId)
  }
  await changed('transaction:own-1', ana)
  for (const nth of [1, 2, 3]) await changed(`transaction:others-${nth}`, null)
  await changed('transaction:own-2', ana)
  await changed('transaction:others-4', null)
  await expect.poll(() => messages(person)).toBe(2)
  const [first = '', second = ''] = idsOf(person)
  // Each position is a time, which says nothing of what was sent between.
  for (const id of [first, second]) {
    const sentAt = Number(id.split('.')[1])
    expect([sentAt >= began, sentAt <= Date.now()]).toEqual([true, true])
  }
  const again = await open(caller, { 'last-event-id': first })
  await expect.poll(() => again.text).toContain('"subjects":["transaction:own-2"]')
  expect(idsOf(again)).toEqual([second])
  const lost = await open(caller, { 'last-event-id': 'another-process.7' })
  await expect.poll(() => lost.text).toContain('"subjects":null')
  expect(idsOf(lost)).toEqual([])
  for (const one of [staff, person, again, lost]) one.leave()
})

test('a reader that does not read uses no memory, and is told that it missed changes', async () => {
  const caller = await signIn('support')
  const slow = net.connect(port(), '127.0.0.1')
  slow.write(
    `GET /api/live HTTP/1.1\r\nhost: localhost\r\nx-streams: patient\r\ncookie: ${caller.cookie}\r\n\r\n`,
  )
  await once(slow, 'data')
  slow.pause()
  const staff = await open(await signIn('support'))
  const big = 'x'.repeat(7_000)
  for (let n = 0; n < 200; n++) {
    await pool().query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
      changeChannel,
      Array.from({ length: 20 }, (_, i) => JSON.stringify({ at: 0, subjects: [[`${big}:${n}.${i}`, null]] })),
    ])
    if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 110))
  }
  await expect.poll(() => staff.text).toContain(':199.19"')
  expect(staff.text.length).toBeGreaterThan(25_000_000)
  const waiting = Math.max(...[...connections].map(({ writableLength }) => writableLength))
  // The reader buffers at most the one message during which it fell behind.
  expect(waiting).toBeGreaterThan(0)
  expect(waiting).toBeLessThan(2_000_000)
  let text = ''
  slow.on('data', (chunk) => {
    text += chunk
  })
  slow.resume()
  await expect.poll(() => text.slice(-2_000)).toContain('"subjects":null')
  slow.destroy()
  staff.leave()
})

test('a reader that never reads is disconnected', async () => {
  const { cookie } = await signIn('support')
  const stuck = net.connect(port(), '127.0.0.1')
  stuck.on('error', () => undefined)
  stuck.write(`GET /api/live HTTP/1.1\r\nhost: localhost\r\nx-streams: small\r\ncookie: ${cookie}\r\n\r\n`)
  await once(stuck, 'data')
  stuck.pause()
  const open = connections.size
  const subject = 'y'.repeat(7_000)
  while (connections.size === open) {
    await notify(...Array.from({ length: 100 }, (_, i): [string, null] => [`${subject}:${i}`, null]))
    await new Promise((resolve) => setTimeout(resolve, 110))
  }
  expect(connections.size).toBe(open - 1)
  stuck.destroy()
})

test('after a break of the database connection anything may have changed, and ended sessions end', async () => {
  const caller = await signIn('support')
  const [staff, ended] = [await open(await signIn('support')), await open(caller)]
  await pool().query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rampart listen' AND datname = current_database()`,
  )
  await pool().query('UPDATE session SET ended_at = now() WHERE id = $1', [caller.sessionId])
  await expect.poll(() => staff.text).toContain('"subjects":null')
  await expect.poll(() => ended.endedAt).not.toBeNull()
  await notify(['transaction:h', null])
  await expect.poll(() => staff.text).toContain('transaction:h')
  staff.leave()
})
