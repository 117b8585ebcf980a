import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { endOtherSessions } from '#lib/identity/sessions/person-sessions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { type Answer, json } from '../../../test/loopback-service.ts'
import {
  admin,
  bodyOf,
  browser,
  ends,
  goOn,
  log,
  signedIn,
  stateOf,
  taken,
  withReplays,
} from '../../../test/replays.ts'
import { inMeasuredTime } from '../../../test/service.ts'
import { findReplay } from './replays.ts'
import { maxFailuresInARow, postDeliveries } from './run-replay.ts'
import { startReplay, stopReplay } from './start-replay.ts'

const replays = withReplays()

it('sends nothing a second after the session that started it was ended', async () => {
  await log(Array.from({ length: 60 }, (_, n) => bodyOf(n)))
  replays.receiver.answers(taken)
  const starter = await signedIn()
  const { replayId } = await startReplay(starter, replays.posting({ pace: '5' }), browser)
  await expect.poll(() => replays.receiver.seen.length).toBeGreaterThan(1)
  await endOtherSessions(await signedIn(starter), {}, browser)
  expect(await stateOf(replayId)).toBe('stopped')
  await sleep(1_000)
  const sent = replays.receiver.seen.length
  await sleep(1_500)
  expect(replays.receiver.seen.length).toBe(sent)
  expect(sent).toBeLessThan(60)
})

it('cuts off a post that waits for its answer when the session ends, and sends it again later', async () => {
  const bodies = [bodyOf(0), bodyOf(1), bodyOf(2)]
  await log(bodies)
  const cut = Promise.withResolvers<number>()
  const neverAnswers: Answer = (response) => void response.once('close', () => cut.resolve(performance.now()))
  replays.receiver.answers(taken, neverAnswers)
  const starter = await signedIn()
  const { replayId } = await startReplay(starter, replays.posting(), browser)
  await expect.poll(() => replays.receiver.seen.length).toBe(2)
  await endOtherSessions(await signedIn(starter), {}, browser)
  const ended = performance.now()
  const [at, late] = await inMeasuredTime(() => cut.promise)
  expect(at - ended).toBeLessThan(1_000 + late)
  await sleep(1_000)
  expect(replays.bodiesReceived()).toEqual(bodies.slice(0, 2))
  expect(await findReplay(admin, replayId)).toMatchObject({ state: 'stopped', done: 1, failed: 0 })
  replays.receiver.answers(taken)
  await goOn(replayId)
  await ends(replayId, 'done')
  expect(replays.bodiesReceived()).toEqual(bodies.slice(1))
})

it('goes on when its admin signs out, and is stopped when they are removed from the team afterwards', async () => {
  await log(Array.from({ length: 60 }, (_, n) => bodyOf(n)))
  replays.receiver.answers(taken)
  const starter = await signedIn()
  await pool().query(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'Kim', 'admin')`, [
    starter.memberId,
    starter.userUuid,
  ])
  const { replayId } = await startReplay(starter, replays.posting({ pace: '5' }), browser)
  await pool().query(`UPDATE session SET ended_at = now(), end_reason = 'signed-out' WHERE id = $1`, [
    starter.sessionId,
  ])
  expect(await stateOf(replayId)).toBe('running')
  await pool().query('UPDATE member SET removed_at = now() WHERE id = $1', [starter.memberId])
  expect(await stateOf(replayId)).toBe('stopped')
})

it('goes on when the session that started it has only expired', async () => {
  await log(Array.from({ length: 8 }, (_, n) => bodyOf(n)))
  replays.receiver.answers(taken)
  const starter = await signedIn()
  const { replayId } = await startReplay(starter, replays.posting({ pace: '5' }), browser)
  await expect.poll(() => replays.receiver.seen.length).toBeGreaterThan(0)
  await pool().query('UPDATE session SET idle_expires_at = now(), expires_at = now() WHERE id = $1', [
    starter.sessionId,
  ])
  await ends(replayId, 'done')
})

it('stops by itself when the receiver is down, and goes on with the next delivery', async () => {
  const bodies = Array.from({ length: maxFailuresInARow + 5 }, (_, n) => bodyOf(n))
  await log(bodies)
  replays.receiver.answers(json(503, {}))
  const replayId = await replays.send()
  await ends(replayId, 'failing')
  expect(await findReplay(admin, replayId)).toMatchObject({
    done: maxFailuresInARow,
    failed: maxFailuresInARow,
  })
  replays.receiver.answers(taken)
  await goOn(replayId)
  await ends(replayId, 'done')
  expect(replays.bodiesReceived()).toEqual(bodies.slice(maxFailuresInARow))
})

it('is stopped at once, and goes on only with its secret', async () => {
  const bodies = Array.from({ length: 30 }, (_, n) => bodyOf(n))
  await log(bodies)
  replays.receiver.answers(taken)
  const replayId = await replays.send({ pace: '5' })
  await expect.poll(() => replays.receiver.seen.length).toBeGreaterThan(0)
  await stopReplay(admin, { replayId, reason: 'a mistake' }, browser)
  await expect(stopReplay(admin, { replayId, reason: 'a mistake' }, browser)).rejects.toThrow(Refused)
  await settled(replayId)
  await expect(goOn(replayId, {})).rejects.toThrow(InvalidInput)
  expect(await stateOf(replayId)).toBe('stopped')
  await goOn(replayId)
  await expect(goOn(replayId)).rejects.toThrow(Refused)
  await stopReplay(admin, { replayId, reason: 'enough seen' }, browser)
  await settled(replayId)
  expect(replays.bodiesReceived()).toEqual(bodies.slice(0, replays.receiver.seen.length))
})

/** The delivery that was on its way when the replay stopped has arrived and is recorded. */
async function settled(replayId: string) {
  await sleep(500)
  await expect
    .poll(async () => (await findReplay(admin, replayId))?.done === replays.receiver.seen.length)
    .toBe(true)
}

it('is interrupted when its process ends, and goes on with the next delivery', async () => {
  await log([bodyOf(1), bodyOf(2), bodyOf(3)])
  const { id } = await replays.made()
  expect(await stateOf(id)).toBe('running')
  await pool().query(`UPDATE lease SET expires_at = now() - interval '1 minute' WHERE name LIKE 'replay:%'`)
  expect(await stateOf(id)).toBe('interrupted')
  replays.receiver.answers(taken)
  await goOn(id)
  await ends(id, 'done')
  expect(replays.bodiesReceived()).toHaveLength(3)
})

it('is also interrupted when its process ended before the clock of the database went back', async () => {
  await log([bodyOf(1)])
  const { id } = await replays.made()
  await pool().query(
    `UPDATE lease SET expires_at = expires_at + interval '1 hour' WHERE name LIKE 'replay:%'`,
  )
  expect(await stateOf(id)).toBe('interrupted')
  replays.receiver.answers(taken)
  await goOn(id)
  await ends(id, 'done')
})

it('a process that froze and resumed writes nothing', async () => {
  await log([bodyOf(1), bodyOf(2), bodyOf(3)])
  const replay = await replays.made()
  const frozen = Promise.withResolvers<void>()
  const sent: string[] = []
  const returned = postDeliveries(pool(), replay, async (body) => {
    sent.push(String(body))
    await frozen.promise
    return { status: 500, ms: 0, error: 'too late' }
  })
  await pool().query(`UPDATE lease SET expires_at = now() - interval '1 minute' WHERE name LIKE 'replay:%'`)
  replays.receiver.answers(taken)
  await goOn(replay.id)
  await ends(replay.id, 'done')
  await sleep(300)
  frozen.resolve()
  await returned
  expect(sent).toEqual([bodyOf(1)])
  expect(await findReplay(admin, replay.id)).toMatchObject({ state: 'done', done: 3, failed: 0 })
})
