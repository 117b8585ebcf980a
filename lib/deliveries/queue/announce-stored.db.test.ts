import { afterAll, beforeAll, expect, test } from 'vitest'
import { openListener } from '#lib/platform/db/listen.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { announceStored, storedChannel } from './enqueue.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('deliveries stored while a wake-up waits are announced too, however many came before', async () => {
  const [pool, listener] = [openPool(database.url, 1), openListener(database.url)]
  let heard = 0
  listener.subscribe(storedChannel, () => {
    heard += 1
  })
  await new Promise<void>((resolve) => listener.onListening(resolve))
  const announce = announceStored(pool)
  for (const count of [5_000, 5_000, 1, 5_000, 1]) {
    const before = heard
    announce(count)
    await expect.poll(() => heard).toBeGreaterThan(before)
  }
  await listener.close()
  await pool.end()
})
