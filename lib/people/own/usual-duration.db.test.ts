import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { forgetUsualDurations, readUsualDuration } from './own-transactions.ts'

const person = callerWith('end-user')
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  forgetUsualDurations()
  await pool().query('DELETE FROM transaction')
})
afterAll(() => database.stop())

/** This transaction began just now and is under way. */
const begun = (given: Partial<Parameters<typeof readUsualDuration>[1]> = {}, secondsAgo = 0) => ({
  direction: 'fiatToCrypto' as const,
  step: 'IN_PROGRESS',
  stuck: false,
  startedAt: new Date(Date.now() - secondsAgo * 1000).toISOString(),
  ...given,
})

/** Each duration, in seconds, is one transaction that ended some days ago. */
const add = (
  durations: readonly (number | null)[],
  step = 'SUCCESS',
  direction = 'fiatToCrypto',
  daysAgo = 1,
) =>
  pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, details, flags, started_at, last_move_at, finished_at)
     SELECT 'transaction:' || id, id, $3, $4, jsonb_build_object('durationSeconds', seconds), '{}',
            at - seconds * interval '1 s', at, at
     FROM unnest($1::text[], $2::float8[]) AS made (id, seconds), (SELECT now() - $5 * interval '1 day' AS at) AS ended`,
    [durations.map(() => crypto.randomUUID()), durations, direction, step, daysAgo],
  )

const hundred = Array.from({ length: 100 }, (_, n) => n + 1)

it('gives the time that half of them took, and nearly all', async () => {
  await add(hundred)
  expect(await readUsualDuration(person, begun())).toEqual({
    usualSeconds: 50,
    mostSeconds: 95,
    count: 100,
  })
})

it.each([
  ['of the other direction', () => add(hundred, 'SUCCESS', 'cryptoToFiat')],
  ['that failed', () => add(hundred, 'FAILED')],
  ['that are older', () => add(hundred, 'SUCCESS', 'fiatToCrypto', 91)],
])('gives nothing from transactions %s', async (_which, given) => {
  await given()
  expect(await readUsualDuration(person, begun())).toBeNull()
})

it('gives nothing from too few', async () => {
  await add(hundred.slice(0, 39))
  expect(await readUsualDuration(person, begun())).toBeNull()
  expect(await readUsualDuration(person, begun({ direction: 'cryptoToFiat' }))).toBeNull()
})

it.each([
  ['has taken longer than nearly all others', begun({}, 96)],
  ['began long ago and has just moved', begun({ step: 'CRYPTO_TRANSFER_ISSUED' }, 2_700)],
  ['is late', begun({ stuck: true })],
  ['is held', begun({ step: 'ON_HOLD' })],
  ['has finished', begun({ step: 'SUCCESS' })],
])('gives nothing for one that %s', async (_which, one) => {
  await add(hundred)
  expect(await readUsualDuration(person, begun({}, 60))).not.toBeNull()
  expect(await readUsualDuration(person, one)).toBeNull()
})
