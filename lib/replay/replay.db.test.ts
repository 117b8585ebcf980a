import crypto from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { endOtherSessions } from '#lib/auth/end-sessions.ts'
import { openSession } from '#lib/auth/open-session.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { prisma } from '#lib/db/prisma.ts'
import { appendPastDeliveries } from '#lib/ingest/append-past-deliveries.ts'
import { startProjector } from '#lib/projector/projector.ts'
import { InvalidInput, NotAllowed, Refused, SignInAgain } from '#lib/request/refusals.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { type Certified, makeAuthority, trustedAuthority } from '../../test/certificates.ts'
import { addReceiver } from '../../test/ingest.ts'
import { hang, json, type LoopbackService, startLoopbackService } from '../../test/loopback-service.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { countMatchingDeliveries } from './count-matching-deliveries.ts'
import { exportResults } from './export-results.ts'
import { findReplay } from './find-replay.ts'
import { listReplays } from './list-replays.ts'
import { listResults } from './list-results.ts'
import { listSources } from './list-sources.ts'
import { postDelivery } from './post-delivery.ts'
import { readReplayFilter } from './read-replay-filter.ts'
import { ReplayFilterSchema, ResumeReplaySchema, StartReplaySchema } from './replay-forms.ts'
import { insertReplay, type NewReplay, type RunningReplay } from './replay-store.ts'
import { resumeReplay } from './resume-replay.ts'
import { maxFailuresInARow, postDeliveries } from './run-replay.ts'
import { startReplay } from './start-replay.ts'
import { stopReplay } from './stop-replay.ts'

let database: TestDatabase
let receiver: LoopbackService
beforeAll(async () => {
  database = await createTestDatabase()
  configure({ DATABASE_URL: database.url, RAMPART_SANDBOX_URL: 'http://localhost:1' })
  receiver = await startLoopbackService()
})
afterEach(async () => {
  await waitUntilQuiet()
  await pool().query(`DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM event;
    DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM replay; DELETE FROM replay_delivery`)
})
afterAll(async () => {
  await receiver.stop()
  await prisma().$disconnect()
  await pool().end()
  await database.drop()
})

const admin = callerWith('admin')
const browser = newBrowser()
const secret = 'whsec-given-by-an-admin'
const taken = json(200, {})
const start = Date.UTC(2026, 10, 20, 14)

/** Whoever still runs must not meet the next test's receiver. */
const waitUntilQuiet = () =>
  expect
    .poll(async () => (await listReplays(admin)).replays.filter(({ state }) => state === 'running'))
    .toEqual([])

const bodyOf = (n: number, transactionUuid = 't-1') =>
  `{"type":"fiatToCrypto","subType":"PENDING","uuid":"u-1","data":{"transactionUuid":"${transactionUuid}","amountFiat":1.${n}0 }}`

/** Puts bodies into the log, a second apart from `start` on. */
function log(bodies: readonly string[], receiverId: string = crypto.randomUUID()) {
  return appendPastDeliveries(
    bodies.map((body, n) => ({
      receivedAt: new Date(start + n * 1000),
      receiverId,
      body: Buffer.from(body),
    })),
  )
}

async function foldEverything() {
  const projector = await startProjector({ url: database.url })
  await expect.poll(async () => (await pool().query('SELECT FROM delivery_pending')).rowCount).toBe(0)
  return projector
}

const posting = (given: Record<string, string> = {}) =>
  StartReplaySchema.parse({
    from: '2026-11-20T14:00',
    kind: 'post',
    address: receiver.baseUrl,
    secret,
    pace: '50',
    reason: 'the other system lost them',
    ...given,
  })

const send = async (given: Record<string, string> = {}) =>
  (await startReplay(admin, posting(given), browser)).replayId

const goOn = (replayId: string, given: Record<string, string> = { secret }) =>
  resumeReplay(admin, ResumeReplaySchema.parse({ replayId, reason: 'it is well again', ...given }), browser)

/** An admin with a session of their own, or a further session of the same one. */
async function signedIn({ userUuid } = callerWith('admin')) {
  const who = { userUuid, memberId: null, method: 'code', serviceSessionId: null, role: 'admin' } as const
  await inTransaction(pool(), (tx) => openSession(tx, who, browser, new Date()))
  const { id } = await prisma().session.findFirstOrThrow({ where: { userUuid }, orderBy: { id: 'desc' } })
  return callerWith('admin', { userUuid, sessionId: id })
}

const made = (wanted: NewReplay) => inTransaction(pool(), (tx) => insertReplay(tx, wanted))

/** What the forms would make, without anybody who runs it. */
const everything: NewReplay = {
  filter: { from: '2026-11-20T14:00:00.000Z' },
  get address() {
    return receiver.baseUrl
  },
  pace: 50,
  reason: 'a test',
  actor: admin.id,
  sessionId: admin.sessionId,
}

const stateOf = async (replayId: string) => (await findReplay(admin, replayId))?.state

const ends = (replayId: string, state: string) =>
  expect.poll(() => stateOf(replayId), { timeout: 20_000 }).toBe(state)

/** What was on its way when a replay was stopped has arrived, and is noted. */
async function settled(replayId: string) {
  await sleep(500)
  await expect.poll(async () => (await findReplay(admin, replayId))?.done === receiver.seen.length).toBe(true)
}

const bodiesReceived = () => receiver.seen.map(({ body }) => body)

it('posts what was stored, byte for byte, in order of arrival, with the secret that was given', async () => {
  const bodies = ['{"b": 1.10}', 'not JSON', '', '{ "a":\t"é" }'].map((body, n) => `${body}${' '.repeat(n)}`)
  await log(bodies)
  receiver.answers(taken)
  const replayId = await send()
  await ends(replayId, 'done')
  expect(bodiesReceived()).toEqual(bodies)
  expect(new Set(receiver.seen.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`API-Key ${secret}`]),
  )
  expect(await findReplay(admin, replayId)).toMatchObject({ total: 4, done: 4, failed: 0 })
})

it('keeps the secret nowhere', async () => {
  await log([bodyOf(1)])
  receiver.answers(json(401, { message: `not ${secret}` }))
  const replayId = await send()
  await ends(replayId, 'done')
  for (const table of ['replay', 'replay_delivery', 'audit', 'setting']) {
    const { rows } = await pool().query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`)
    expect(rows.filter(({ text }) => text.includes(secret))).toEqual([])
  }
})

it('is audited with its reason', async () => {
  await log([bodyOf(1)])
  receiver.answers(taken)
  const replayId = await send()
  expect(await prisma().audit.findMany({ where: { target: replayId } })).toMatchObject([
    {
      action: 'replay.start',
      actor: admin.id,
      reason: 'the other system lost them',
      details: { address: receiver.baseUrl, deliveries: 1, filter: ['from 2026-11-20T14:00:00.000Z'] },
    },
  ])
})

it('is for admins with a fresh sign-in alone', async () => {
  await log([bodyOf(1)])
  const longAgo = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(startReplay(longAgo, posting(), browser)).rejects.toThrow(SignInAgain)
  for (const role of ['support', 'auditor', 'end-user'] as const) {
    const caller = callerWith(role)
    await expect(startReplay(caller, posting(), browser)).rejects.toThrow(NotAllowed)
    await expect(listReplays(caller)).rejects.toThrow(NotAllowed)
    await expect(listResults(caller, crypto.randomUUID())).rejects.toThrow(NotAllowed)
    expect(() => exportResults(caller, crypto.randomUUID())).toThrow(NotAllowed)
  }
})

it('sends nothing a second after the session that started it was ended', async () => {
  await log(Array.from({ length: 60 }, (_, n) => bodyOf(n)))
  receiver.answers(taken)
  const starter = await signedIn()
  const { replayId } = await startReplay(starter, posting({ pace: '5' }), browser)
  await expect.poll(() => receiver.seen.length).toBeGreaterThan(1)
  await endOtherSessions(await signedIn(starter), {}, browser)
  expect(await stateOf(replayId)).toBe('stopped')
  await sleep(1_000)
  const sent = receiver.seen.length
  await sleep(1_500)
  expect(receiver.seen.length).toBe(sent)
  expect(sent).toBeLessThan(60)
})

it('is not begun under a session that has ended', async () => {
  await log([bodyOf(1)])
  const starter = await signedIn()
  await endOtherSessions(await signedIn(starter), {}, browser)
  await expect(startReplay(starter, posting(), browser)).rejects.toThrow(SignInAgain)
  expect((await listReplays(admin)).replays).toEqual([])
})

it.each([
  'https://127.0.0.1/hook',
  'https://10.0.0.8/hook',
  'https://169.254.169.254/latest',
  'https://[::ffff:10.0.0.8]/hook',
  'https://localhost/hook',
])('refuses to post to %s', async (address) => {
  await log([bodyOf(1)])
  await expect(send({ address })).rejects.toThrow(InvalidInput)
  expect((await listReplays(admin)).replays).toEqual([])
})

it('refuses an address of this dashboard by whatever name, and takes the same path of somebody else', async () => {
  await log([bodyOf(1)])
  const { id } = await addReceiver(pool())
  const at = (path: string) => send({ address: new URL(`/api/webhooks/${path}`, receiver.baseUrl).href })
  await expect(at(id)).rejects.toMatchObject({
    fields: { address: expect.stringContaining('this dashboard') },
  })
  receiver.answers(taken)
  await ends(await at(crypto.randomUUID()), 'done')
})

it.each([
  ['http://example.com/hook', 'https'],
  ['http://10.0.0.8/hook', 'https'],
  ['https://user:word@example.com/hook', 'password'],
  ['http://localhost:3000/api/webhooks/1', 'this dashboard'],
  ['nonsense', 'web address'],
])('has a message for %s', (address, words) => {
  const { error } = StartReplaySchema.safeParse({ ...posting(), address, pace: '5' })
  expect(error?.issues.map(({ message }) => message).join()).toContain(words)
})

it('sends the deliveries of each filter, and counts them beforehand', async () => {
  const [one, other] = [await addReceiver(pool()), await addReceiver(pool())]
  const endpoint = crypto.randomUUID()
  await pool().query('UPDATE receiver SET endpoint_uuid = $2 WHERE id = $1', [one.id, endpoint])
  const kyc = '{"type":"KYC","subType":"done","uuid":"U-2","data":{}}'
  const [first = '', second = ''] = await log([bodyOf(1), bodyOf(2, 'T-2'), kyc], one.id)
  await log([bodyOf(3, 't-3')], other.id)
  const projector = await foldEverything()
  await projector.stop()
  const { rows } = await pool().query<{ id: string }>(
    'SELECT event_id AS id FROM event_delivery WHERE delivery_id = $1',
    [second],
  )
  const filters: [Record<string, string>, number][] = [
    [{ type: 'fiatToCrypto' }, 3],
    [{ type: 'fiatToCrypto', endpoint }, 2],
    [{ step: 'done' }, 1],
    [{ user: 'u-2' }, 1],
    [{ transaction: 't-2' }, 1],
    [{ event: rows[0]?.id ?? '' }, 1],
    [{ delivery: first }, 1],
    [{ from: '2026-11-20T14:00:01Z' }, 2],
    [{ to: '2026-11-20T14:00:01' }, 2],
    [{ from: '2026-11-20T14:00:01Z', to: '2026-11-20T14:00:02Z', endpoint, type: 'fiatToCrypto' }, 1],
    [{ type: 'nothing' }, 0],
  ]
  for (const [filter, count] of filters) {
    expect([filter, (await countMatchingDeliveries(admin, ReplayFilterSchema.parse(filter)))?.count]).toEqual(
      [filter, count],
    )
  }
  expect(await countMatchingDeliveries(admin, ReplayFilterSchema.parse({ from: '', type: '' }))).toBe(null)
  receiver.answers(taken)
  await ends(await send({ from: '', transaction: 'T-2' }), 'done')
  expect(bodiesReceived()).toEqual([bodyOf(2, 'T-2')])
})

it('offers every endpoint that deliveries came through, also while the service does not say its name', async () => {
  const { id } = await addReceiver(pool())
  const uuid = crypto.randomUUID()
  await pool().query('UPDATE receiver SET endpoint_uuid = $2 WHERE id = $1', [id, uuid])
  expect(await listSources(admin)).toContainEqual({ uuid, name: null })
  await expect(listSources(callerWith('support'))).rejects.toThrow(NotAllowed)
})

it.each(['0000-01-01T00:00', '2026-13-01T00:00'])('says that there is no such time as %s', async (from) => {
  expect(await readReplayFilter(admin, { type: 'KYC', from })).toEqual({
    filter: {},
    errors: { from: 'There is no such time.' },
  })
})

it('takes a user by e-mail, and sends nothing when the directory does not have it', async () => {
  const userUuid = crypto.randomUUID()
  await prisma().person.create({
    data: { userUuid, email: 'Ana@example.com', emailKey: 'ana@example.com', source: 'import' },
  })
  const read = (user: string) => readReplayFilter(admin, { type: 'KYC', user })
  expect(await read(' ana@EXAMPLE.com')).toEqual({ filter: { type: 'KYC', user: userUuid }, errors: {} })
  expect(await read(userUuid)).toEqual({ filter: { type: 'KYC', user: userUuid }, errors: {} })
  expect(await read('nobody@example.com')).toEqual({
    filter: {},
    errors: { user: 'The directory knows nobody by this e-mail.' },
  })
  await expect(readReplayFilter(callerWith('support'), { user: 'ana@example.com' })).rejects.toThrow(
    NotAllowed,
  )
})

it('refuses an empty set, and a filter that says nothing', async () => {
  await expect(send()).rejects.toThrow(Refused)
  await log([bodyOf(1)])
  await expect(send({ from: '' })).rejects.toThrow(Refused)
})

it('notes what came of each delivery, goes on after a failure, and sends the failed ones alone later', async () => {
  const ids = await log([bodyOf(1), bodyOf(2), bodyOf(3)])
  receiver.answers(taken, json(503, {}), json(302, {}, { location: 'https://example.com' }))
  const replayId = await send()
  await ends(replayId, 'done')
  const { rows } = await listResults(admin, replayId)
  expect(rows.map(({ deliveryId, status, error }) => [deliveryId, status, error])).toEqual([
    [ids[0], 200, null],
    [ids[1], 503, 'The receiver failed'],
    [ids[2], 302, 'Answered with a redirect, which is not followed'],
  ])
  expect(rows.every(({ ms }) => ms !== null && ms >= 0)).toBe(true)
  expect((await listResults(admin, replayId, { failed: true })).rows).toHaveLength(2)
  receiver.answers(taken)
  await ends(await send({ from: '', failedIn: replayId }), 'done')
  expect(bodiesReceived()).toEqual([bodyOf(2), bodyOf(3)])
})

it('stops by itself when the receiver is down, and goes on from where it stood', async () => {
  const bodies = Array.from({ length: maxFailuresInARow + 5 }, (_, n) => bodyOf(n))
  await log(bodies)
  receiver.answers(json(503, {}))
  const replayId = await send()
  await ends(replayId, 'failing')
  expect(await findReplay(admin, replayId)).toMatchObject({
    done: maxFailuresInARow,
    failed: maxFailuresInARow,
  })
  receiver.answers(taken)
  await goOn(replayId)
  await ends(replayId, 'done')
  expect(bodiesReceived()).toEqual(bodies.slice(maxFailuresInARow))
})

it('is stopped at once, and goes on only with its secret', async () => {
  const bodies = Array.from({ length: 30 }, (_, n) => bodyOf(n))
  await log(bodies)
  receiver.answers(taken)
  const replayId = await send({ pace: '5' })
  await expect.poll(() => receiver.seen.length).toBeGreaterThan(0)
  await stopReplay(admin, { replayId, reason: 'a mistake' }, browser)
  await expect(stopReplay(admin, { replayId, reason: 'a mistake' }, browser)).rejects.toThrow(Refused)
  await settled(replayId)
  await expect(goOn(replayId, {})).rejects.toThrow(InvalidInput)
  expect(await stateOf(replayId)).toBe('stopped')
  await goOn(replayId)
  await expect(goOn(replayId)).rejects.toThrow(Refused)
  await stopReplay(admin, { replayId, reason: 'enough seen' }, browser)
  await settled(replayId)
  expect(bodiesReceived()).toEqual(bodies.slice(0, receiver.seen.length))
})

it('runs three replays at a time, and refuses to start or resume a fourth', async () => {
  await log([bodyOf(1)])
  const stopped = await made(everything)
  await stopReplay(admin, { replayId: stopped.id, reason: 'a mistake' }, browser)
  for (let n = 0; n < 3; n++) await made(everything)
  const tooMany = { title: '3 replays are running already.' }
  await expect(send()).rejects.toMatchObject(tooMany)
  await expect(goOn(stopped.id)).rejects.toMatchObject(tooMany)
  expect(await stateOf(stopped.id)).toBe('stopped')
  await pool().query(`UPDATE replay SET state = 'done'`)
})

it('is interrupted when its process ends, and goes on from where it stood', async () => {
  await log([bodyOf(1), bodyOf(2), bodyOf(3)])
  const { id } = await made(everything)
  expect(await stateOf(id)).toBe('running')
  await pool().query(`UPDATE lease SET expires_at = now() - interval '1 minute' WHERE name LIKE 'replay:%'`)
  expect(await stateOf(id)).toBe('interrupted')
  receiver.answers(taken)
  await goOn(id)
  await ends(id, 'done')
  expect(bodiesReceived()).toHaveLength(3)
})

it('a process that froze and resumed writes nothing', async () => {
  await log([bodyOf(1), bodyOf(2), bodyOf(3)])
  const replay = await made(everything)
  const frozen = Promise.withResolvers<void>()
  const sent: string[] = []
  const returned = postDeliveries(pool(), replay, async (body) => {
    sent.push(String(body))
    await frozen.promise
    return { status: 500, ms: 0, error: 'too late' }
  })
  await pool().query(`UPDATE lease SET expires_at = now() - interval '1 minute' WHERE name LIKE 'replay:%'`)
  receiver.answers(taken)
  await goOn(replay.id)
  await ends(replay.id, 'done')
  await sleep(300)
  frozen.resolve()
  await returned
  expect(sent).toEqual([bodyOf(1)])
  expect(await findReplay(admin, replay.id)).toMatchObject({ state: 'done', done: 3, failed: 0 })
})

it('gives a slow receiver up and goes on', async () => {
  await log([bodyOf(1), bodyOf(2)])
  receiver.answers(hang, taken)
  const replay = await made(everything)
  const target = { url: new URL(receiver.baseUrl), secret, loopback: true, patience: 100 }
  await postDeliveries(pool(), replay, (body) => postDelivery(target, body))
  expect((await listResults(admin, replay.id)).rows).toMatchObject([
    { status: null, error: 'No answer in time' },
    { status: 200, error: null },
  ])
})

it('posts over HTTPS, and says of each delivery when the certificate does not hold', async () => {
  const host = 'receiver.example'
  const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const authority = trustedAuthority()
  const bodies = [bodyOf(1), bodyOf(2)]
  const ids = await log(bodies)
  const outcomeOf = async (certified: Certified) => {
    const secure = await startLoopbackService(certified)
    secure.answers(taken)
    const url = new URL(secure.baseUrl)
    url.hostname = host
    const replay = await made({ ...everything, address: url.href })
    const target = { url, secret, loopback: true, resolve }
    await postDeliveries(pool(), replay, (body) => postDelivery(target, body))
    await secure.stop()
    const { rows } = await listResults(admin, replay.id)
    const received = secure.seen.map(({ body }) => body)
    return { received, results: rows.map(({ deliveryId, status, error }) => [deliveryId, status, error]) }
  }
  expect(await outcomeOf(authority.certify(host))).toEqual({
    received: bodies,
    results: ids.map((id) => [id, 200, null]),
  })
  expect(await outcomeOf(makeAuthority().certify(host))).toEqual({
    received: [],
    results: ids.map((id) => [id, null, 'Not sent: nobody trusted here vouches for its certificate']),
  })
})

it('refolds the filtered deliveries into the same rows; dead letters among them are retried', async () => {
  const ids = await log([bodyOf(1), bodyOf(2), bodyOf(3, 't-2')])
  const projector = await foldEverything()
  const dump = async () =>
    (await pool().query(`SELECT t::text FROM transaction t UNION ALL SELECT e::text FROM event e ORDER BY 1`))
      .rows
  const before = await dump()
  await pool().query(`UPDATE transaction SET step = 'WRONG'; UPDATE event SET position = 7`)
  await pool().query(`DELETE FROM event_delivery WHERE delivery_id = $1`, [ids[2]])
  await pool().query(`DELETE FROM event WHERE subject_id = 'transaction:t-2'`)
  await pool().query(`DELETE FROM transaction WHERE subject_id = 'transaction:t-2'`)
  await pool().query(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) VALUES ($1, now(), 'a bug of then')`,
    [ids[2]],
  )
  const form = StartReplaySchema.parse({ kind: 'fold', from: '2026-11-20T14:00', reason: 'the bug is gone' })
  const { replayId } = await startReplay(admin, form, browser)
  await ends(replayId, 'done')
  await projector.stop()
  expect(await dump()).toEqual(before)
  expect(await findReplay(admin, replayId)).toMatchObject({ address: null, total: 3, done: 3, failed: 0 })
})

it('exports the results, where what looks like a formula is text', async () => {
  await log(['{"type":"=1+1","subType":"a,\\"b\\"","uuid":"u-3","data":{}}', bodyOf(1)])
  await (await foldEverything()).stop()
  receiver.answers(taken)
  const replayId = await send()
  await ends(replayId, 'done')
  const lines = (await Array.fromAsync(exportResults(admin, replayId))).join('').split('\r\n')
  expect(lines[0]).toBe('order,deliveryId,receivedAt,type,subType,transactionUuid,sentAt,status,ms,error')
  expect(lines[1]).toContain(`,'=1+1,"a,""b""",`)
  expect(lines[2]).toContain(',fiatToCrypto,PENDING,t-1,')
  expect(lines).toHaveLength(4)
})

it('sends 10,000 deliveries in order without holding them in memory', async () => {
  const size = 10_000
  await pool().query(
    `INSERT INTO delivery (id, receiver_id, body)
     SELECT uuidv7(), gen_random_uuid(), convert_to(n || repeat(' ', 4000), 'UTF8') FROM generate_series(1, $1::int) n`,
    [size],
  )
  const replay = await made(everything)
  const quick: RunningReplay = { ...replay, pace: 1_000_000 }
  const before = await memory()
  let [expected, most] = [1, 0]
  await postDeliveries(pool(), quick, async (body) => {
    if (Number(String(body)) === expected) expected++
    if (expected % 1_000 === 0) most = Math.max(most, (await memory()) - before)
    return { status: 200, ms: 0, error: null }
  })
  expect(expected).toBe(size + 1)
  expect(await findReplay(admin, replay.id)).toMatchObject({ state: 'done', done: size, failed: 0 })
  // All of the bodies would be 40 MB.
  expect(most).toBeLessThan(20_000_000)
})

v8.setFlagsFromString('--expose-gc')
const collectGarbage = z.function().parse(vm.runInNewContext('gc'))

/** Bytes of buffers, and of what JavaScript holds, without what nobody holds any more. */
async function memory(): Promise<number> {
  // What buffers held outside the heap is given back only after the code under way.
  for (let turns = 0; turns < 2; turns++) {
    await sleep(0)
    collectGarbage()
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

it('shows no secret in a validation error', () => {
  const { error } = StartReplaySchema.safeParse({ ...posting(), pace: '5', secret: `${secret} and more` })
  expect(z.prettifyError(error ?? new z.ZodError([]))).not.toContain(secret)
})
