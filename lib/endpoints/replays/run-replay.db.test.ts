import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { changeChannel } from '#lib/platform/change-notification.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { endBody, eraseBody } from '#lib/timeline/projector/erased-people.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { auditAbout } from '../../../test/audit-reason.ts'
import { type Certified, makeAuthority, trustedAuthority } from '../../../test/certificates.ts'
import { hang, json, startLoopbackService } from '../../../test/loopback-service.ts'
import {
  admin,
  bodyOf,
  browser,
  ends,
  foldEverything,
  log,
  secret,
  taken,
  withReplays,
} from '../../../test/replays.ts'
import { StartReplaySchema } from './replay-forms.ts'
import type { RunningReplay } from './replay-store.ts'
import { allowResultsExport, exportResults, findReplay, listResults } from './replays.ts'
import { maxFailuresInARow, postDeliveries, postDelivery, type Target } from './run-replay.ts'
import { startReplay } from './start-replay.ts'

const replays = withReplays()

it('posts what was stored, byte for byte, in order of arrival, with the secret that was given', async () => {
  const bodies = ['{"b": 1.10}', 'not JSON', '', '{ "a":\t"é" }'].map((body, n) => `${body}${' '.repeat(n)}`)
  await log(bodies)
  replays.receiver.answers(taken)
  const replayId = await replays.send()
  await ends(replayId, 'done')
  expect(replays.bodiesReceived()).toEqual(bodies)
  expect(new Set(replays.receiver.seen.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`API-Key ${secret}`]),
  )
  expect(await findReplay(admin, replayId)).toMatchObject({ total: 4, done: 4, failed: 0 })
})

it('records the result of each delivery, goes on after a failure, and later sends only the failed ones', async () => {
  const ids = await log([bodyOf(1), bodyOf(2), bodyOf(3)])
  replays.receiver.answers(taken, json(503, {}), json(302, {}, { location: 'https://example.com' }))
  const replayId = await replays.send()
  await ends(replayId, 'done')
  const { rows } = await listResults(admin, replayId)
  expect(rows.map(({ deliveryId, status, error }) => [deliveryId, status, error])).toEqual([
    [ids[0], 200, null],
    [ids[1], 503, 'The receiver failed'],
    [ids[2], 302, 'Answered with a redirect, which is not followed'],
  ])
  expect(rows.every(({ ms }) => ms !== null && ms >= 0)).toBe(true)
  expect((await listResults(admin, replayId, { failed: true })).rows).toHaveLength(2)
  replays.receiver.answers(taken)
  await ends(await replays.send({ from: '', failedIn: replayId }), 'done')
  expect(replays.bodiesReceived()).toEqual([bodyOf(2), bodyOf(3)])
})

it('posts no body that was reduced, because its time was over or its person was erased', async () => {
  const mark = { salt: Buffer.from('salt') }
  const person = '3f2c1b1e-7a44-4c43-9a4f-1d2c3b4a5968'
  const about = JSON.stringify({ type: 'KYC', subType: 'KYC_PENDING', uuid: person, data: { a: 'b' } })
  const ended = [about, 'not JSON'].map((body) => String(endBody(Buffer.from(body))))
  const erased = [about, `not JSON ${person}`].map((body) =>
    String(eraseBody(Buffer.from(body), person, mark, (text) => text.includes(person))),
  )
  // A provider’s own field of that name is no mark.
  const own = '{"type":"KYC","erased":"by the customer"}'
  const reduced = [...ended, ...erased].flatMap((body) =>
    Array.from({ length: maxFailuresInARow }, () => body),
  )
  await log([bodyOf(1), ...reduced, own, bodyOf(2)])
  replays.receiver.answers(taken)
  const replayId = await replays.send()
  await ends(replayId, 'done')
  expect(replays.bodiesReceived()).toEqual([bodyOf(1), own, bodyOf(2)])
  const { rows } = await listResults(admin, replayId, { failed: true })
  expect(new Set(rows.map(({ error }) => error))).toEqual(new Set(['Its body is no longer kept']))
  expect(await findReplay(admin, replayId)).toMatchObject({ failed: reduced.length })
})

it('gives up on a slow receiver and goes on', async () => {
  await log([bodyOf(1), bodyOf(2)])
  replays.receiver.answers(hang, taken)
  const replay = await replays.made()
  const target: Target = { url: new URL(replays.receiver.baseUrl), secret, loopback: true, timeoutMs: 1_000 }
  await postDeliveries(pool(), replay, (body) => postDelivery(target, body))
  expect((await listResults(admin, replay.id)).rows).toMatchObject([
    { status: null, error: 'No answer in time' },
    { status: 200, error: null },
  ])
})

it('posts over HTTPS, and reports for each delivery that the certificate is invalid', async () => {
  const host = 'replays.receiver.example'
  const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const authority = trustedAuthority()
  const bodies = [bodyOf(1), bodyOf(2)]
  const ids = await log(bodies)
  const outcomeOf = async (certified: Certified) => {
    const secure = await startLoopbackService(certified)
    secure.answers(taken)
    const url = new URL(secure.baseUrl)
    url.hostname = host
    const replay = await replays.made({ address: url.href })
    const target: Target = { url, secret, loopback: true, resolve }
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

it('waits until new deliveries are folded as usual and open pages updated, and then refolds them', async () => {
  const heard: string[] = []
  const listener = await pool().connect()
  listener.on('notification', ({ payload = '' }) => heard.push(payload))
  await listener.query(`LISTEN ${changeChannel}`)
  const [id] = await log([bodyOf(1)])
  const form = StartReplaySchema.parse({
    kind: 'fold',
    from: '2026-11-20T14:00',
    reason: 'a rule was mended',
  })
  const { replayId } = await startReplay(admin, form, browser)
  await sleep(500)
  const { rows } = await pool().query('SELECT delivery_id, run FROM delivery_pending')
  expect(rows).toEqual([{ delivery_id: id, run: null }])
  const projector = await startProjector({ url: env().databaseUrl })
  await ends(replayId, 'done')
  await projector.stop()
  await expect.poll(() => heard.filter((payload) => payload.includes('transaction:t-1'))).toHaveLength(1)
  listener.release(true)
  expect(await findReplay(admin, replayId)).toMatchObject({ total: 1, done: 1, failed: 0 })
})

it('exports the results, where a formula becomes text, and audits who did', async () => {
  await log(['{"type":"=1+1","subType":"a,\\"b\\"","uuid":"u-3","data":{}}', bodyOf(1)])
  await (await foldEverything()).stop()
  replays.receiver.answers(taken)
  const replayId = await replays.send()
  await ends(replayId, 'done')
  await expect(exportResults(admin, replayId, '')).rejects.toThrow(NotAllowed)
  const { ticket } = await allowResultsExport(admin, { replayId, reason: 'asked for' }, browser)
  const results = (await exportResults(admin, replayId, ticket)) ?? []
  const lines = (await Array.fromAsync(results)).join('').split('\r\n')
  expect(lines[0]).toBe('order,deliveryId,receivedAt,type,subType,transactionUuid,sentAt,status,ms,error')
  expect(lines[1]).toContain(`,'=1+1,"a,""b""",`)
  expect(lines[2]).toContain(',fiatToCrypto,PENDING,t-1,')
  expect(lines).toHaveLength(4)
  expect((await auditAbout(replayId)).filter(({ action }) => action === 'replay.export')).toMatchObject([
    { actor: admin.id, reason: 'asked for' },
  ])
})

it('sends 4,000 deliveries in order without holding them in memory', async () => {
  const size = 4_000
  await pool().query(
    `INSERT INTO delivery (id, receiver_id, body)
     SELECT uuidv7(), gen_random_uuid(), convert_to(n || repeat(' ', 4000), 'UTF8') FROM generate_series(1, $1::int) n`,
    [size],
  )
  const replay = await replays.made()
  const quick: RunningReplay = { ...replay, pace: 1_000_000 }
  const before = await memory()
  let [expected, most] = [1, 0]
  await postDeliveries(pool(), quick, async (body) => {
    if (Number(String(body)) === expected) expected++
    if (expected % 500 === 0) most = Math.max(most, (await memory()) - before)
    return { status: 200, ms: 0, error: null }
  })
  expect(expected).toBe(size + 1)
  expect(await findReplay(admin, replay.id)).toMatchObject({ state: 'done', done: size, failed: 0 })
  // All bodies together would take 16 MB.
  expect(most).toBeLessThan(8_000_000)
})

v8.setFlagsFromString('--expose-gc')
const collectGarbage = z.function().parse(vm.runInNewContext('gc'))

/** The size covers buffers and live JavaScript objects, in bytes. */
async function memory(): Promise<number> {
  // The memory of buffers outside the heap is freed only after the current turn.
  for (let turns = 0; turns < 2; turns++) {
    await sleep(0)
    collectGarbage()
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}
