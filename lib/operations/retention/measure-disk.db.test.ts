import { afterAll, beforeAll, expect, it } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { measureDisk } from './measure-disk.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const admin = callerWith('admin')

it('assumes sizes while there are few deliveries', async () => {
  expect(await measureDisk(admin)).toMatchObject({
    isAssumed: true,
    deliveriesPerDay: 0,
    perDelivery: { log: 1_200, events: 2_200 },
    aYear: { log: 0, events: 0 },
  })
})

it('measures the tables, and estimates a year from the last days', async () => {
  const { id: receiverId } = await addReceiver(pool())
  const now = Date.now()
  await appendPastDeliveries(
    Array.from({ length: 2_000 }, (_, n) => ({
      // The deliveries cover twenty days, a hundred a day.
      receivedAt: new Date(now - (20 * 24 * 3_600_000 * (2_000 - n)) / 2_000),
      receiverId,
      body: Buffer.from(
        JSON.stringify({ type: 'fiatToCrypto', subType: 'PENDING', data: { transactionUuid: `T-${n}`, n } }),
      ),
    })),
    pool(),
  )
  const work = await takeAllShards(pool())
  await foldWaiting(work)
  await work.leases.release()
  const { isAssumed, deliveriesPerDay, days, perDelivery, aYear, now: held } = await measureDisk(admin, now)
  expect(isAssumed).toBe(false)
  expect(days).toBeCloseTo(20, 1)
  expect(deliveriesPerDay).toBeCloseTo(100, 0)
  expect(perDelivery).toEqual({ log: held.log / 2_000, events: held.events / 2_000 })
  expect(perDelivery.events).toBeGreaterThan(300)
  expect(aYear.log).toBeCloseTo(365 * deliveriesPerDay * perDelivery.log, 0)
})

it('is for admins', async () => {
  await expect(measureDisk(callerWith('support'))).rejects.toThrow(NotAllowed)
})
