import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { leastStuckMs, stuckAfterMs } from './rules/is-stuck.ts'
import { forgetUsualStays, learnUsualStays, readUsualStays } from './usual-times.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const minute = 60_000

/** The transaction finished some hours ago, and its outgoing transfer took this many minutes. */
async function addDone(hoursAgo: number, currency: string, minutesOut: number) {
  const uuid = crypto.randomUUID()
  const ended = Date.now() - hoursAgo * 60 * minute
  const came = {
    PENDING: ended - minutesOut * minute - 2_000,
    FIAT_TRANSFER_ISSUED: ended - minutesOut * minute,
    SUCCESS: ended,
  }
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, currency_fiat, chain, flags, started_at, last_move_at, finished_at)
     VALUES ('transaction:' || $1, $1, 'cryptoToFiat', 'SUCCESS', $2, 'polygon', '{}', $3, $4, $4)`,
    [uuid, currency, new Date(came.PENDING), new Date(ended)],
  )
  await pool().query(
    `INSERT INTO event (subject_id, id, fingerprint, type, sub_type, position, deliveries, first_received_at, last_received_at, flags)
     SELECT 'transaction:' || $1, gen_random_uuid(), '', 'cryptoToFiat', step, n, 1, at, at, '{}'
     FROM unnest($2::text[], $3::timestamptz[]) WITH ORDINALITY AS moved (step, at, n)`,
    [uuid, Object.keys(came), Object.values(came).map((at) => new Date(at))],
  )
}

it('learns how long 99 of 100 stay at a step, by currency where enough are alike, and once an hour', async () => {
  for (let n = 0; n < 110; n++) await addDone((n * 3) % 300, 'EUR', 20 + (n === 50 ? 5_000 : n % 10))
  for (let n = 0; n < 60; n++) await addDone((n * 5) % 300, 'GBP', 90)
  await learnUsualStays(pool())
  forgetUsualStays()
  const at = { direction: 'cryptoToFiat', step: 'FIAT_TRANSFER_ISSUED', chain: 'polygon' }
  const usual = await readUsualStays()
  const minutes = (currencyFiat: string) => stuckAfterMs(usual, { ...at, currencyFiat }) / minute
  // One in 110 took days, so the slowest of the other 99 of 100 counts.
  expect(minutes('EUR')).toBe(29)
  // Sixty are too few, so all transactions of the step count.
  expect(minutes('GBP')).toBe(90)
  expect(stuckAfterMs(usual, { ...at, step: 'PENDING', currencyFiat: 'EUR' })).toBe(leastStuckMs)
  await pool().query('DELETE FROM usual_stay')
  await learnUsualStays(pool())
  expect((await pool().query('SELECT FROM usual_stay')).rowCount).toBe(0)
})
