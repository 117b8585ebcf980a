import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { captureLog } from '../../../test/log.ts'
import { addUserToService, startService, type TestService } from '../../../test/service.ts'
import { startUserReader, type UserReader } from './user-reader.ts'

let service: TestService
let readers: UserReader[] = []
beforeAll(async () => {
  service = await startService()
})
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.stop()))
  readers = []
})
afterAll(async () => {
  await listener().close()
  await service.stop()
})

const quick = { round: 20, pace: 1, sweepEvery: 3_600_000 }

function startReader(times = quick) {
  const reader = startUserReader(pool(), listener(), serviceClient(), times)
  readers.push(reader)
  return reader
}

/** The service has this user, and the directory does not. */
const newUser = () => addUserToService(service)

const anEvent = (userUuid: string) =>
  pool().query(
    `INSERT INTO event (subject_id, id, fingerprint, entity_uuid, position, deliveries, first_received_at, last_received_at, flags)
     VALUES ($1, $2, '', $3, 0, 1, now(), now(), '{}')`,
    [`entity:${userUuid}`, uuidv7(), userUuid],
  )

async function announce(userUuid: string) {
  for (const payload of changePayloads([{ subjectId: `entity:${userUuid}`, userUuid }], Date.now()))
    await pool().query('SELECT pg_notify($1, $2)', [changeChannel, payload])
}

const personOf = async (userUuid: string) =>
  (await pool().query('SELECT email, source FROM person WHERE user_uuid = $1', [userUuid])).rows[0]

const outcomeOf = async (userUuid: string) =>
  (
    await pool().query(
      `SELECT outcome, next_at, attempts, round(extract(epoch FROM next_at - now()) / 3600)::int AS hours
       FROM user_lookup WHERE user_uuid = $1`,
      [userUuid],
    )
  ).rows[0]

const asked = () => service.seen.filter((route) => route === 'GET /user').length

it('reads a user whom an earlier event named, and one whom a new delivery names, once each', async () => {
  const [before, now] = [await newUser(), await newUser()]
  await anEvent(before)
  startReader()
  await expect.poll(() => personOf(before)).toMatchObject({ source: 'delivery' })
  await anEvent(now)
  await announce(now)
  await expect.poll(() => personOf(now)).toMatchObject({ email: expect.stringContaining('@') })
  const count = asked()
  await announce(now)
  await announce(before)
  await expect.poll(() => outcomeOf(now)).toMatchObject({ outcome: 'read', next_at: null })
  startReader()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(asked()).toBe(count)
})

it('remembers users whom the service does not know, such as companies', async () => {
  const company = crypto.randomUUID()
  await anEvent(company)
  startReader()
  await expect.poll(() => outcomeOf(company)).toMatchObject({ outcome: 'not-found', next_at: null })
  const count = asked()
  await readers[0]?.stop()
  startReader()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(asked()).toBe(count)
})

it.each([
  [429, 'too-many'],
  [503, 'down'],
])('does not ask a service that answers %d again at once, and goes on later', async (status, cause) => {
  const logged = captureLog()
  const user = await newUser()
  // The client itself repeats a failed call once.
  service.answerWith(status, (route) => route === 'GET /user', status === 503 ? 2 : 1)
  await anEvent(user)
  startReader()
  await expect.poll(() => logged.lines).toMatchObject([{ level: 'warn', cause }])
  await pool().query('UPDATE user_lookup SET next_at = now() WHERE next_at IS NOT NULL')
  await expect.poll(() => personOf(user), { timeout: 15_000 }).toMatchObject({ source: 'delivery' })
  logged.stop()
})

it('asks once a day for a user after the service was down for long', async () => {
  const logged = captureLog()
  const user = await newUser()
  await anEvent(user)
  await pool().query(`INSERT INTO user_lookup (user_uuid, outcome, attempts) VALUES ($1, 'waiting', 9)`, [
    user,
  ])
  // The client itself repeats a failed call once.
  service.answerWith(503, (route) => route === 'GET /user', 2)
  startReader()
  await expect.poll(() => outcomeOf(user)).toMatchObject({ outcome: 'waiting', attempts: 10, hours: 24 })
  await pool().query('UPDATE user_lookup SET next_at = now() WHERE user_uuid = $1', [user])
  await expect.poll(() => personOf(user), { timeout: 15_000 }).toMatchObject({ source: 'delivery' })
  logged.stop()
})

it('asks for many users no faster than its pace', async () => {
  const pace = 150
  const users = await Promise.all(Array.from({ length: 8 }, newUser))
  for (const user of users) await anEvent(user)
  const before = asked()
  const begun = performance.now()
  startReader({ ...quick, pace })
  for (let count = 0; count < users.length; ) {
    count = asked() - before
    expect(count).toBeLessThanOrEqual(1 + (performance.now() - begun) / pace)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  for (const user of users) await expect.poll(() => personOf(user)).toMatchObject({ source: 'delivery' })
})

it('a refused API key says nothing about the user', async () => {
  const logged = captureLog()
  const user = await newUser()
  service.answerWith(401, () => true, 2)
  await anEvent(user)
  startReader()
  await expect.poll(() => logged.lines).toMatchObject([{ level: 'warn', cause: 'key-refused' }])
  expect(await outcomeOf(user)).toMatchObject({ outcome: 'waiting' })
  await expect.poll(() => personOf(user), { timeout: 15_000 }).toMatchObject({ source: 'delivery' })
  logged.stop()
})

it('runs in one process at a time', async () => {
  startReader()
  startReader()
  const user = await newUser()
  const count = asked()
  await announce(user)
  await expect.poll(() => personOf(user)).toMatchObject({ source: 'delivery' })
  expect(asked()).toBe(count + 1)
})
