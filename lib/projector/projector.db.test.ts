import { afterAll, beforeAll, expect, test } from 'vitest'
import { addReceiver, startIngestServer } from '../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { type Projector, startProjector } from './projector.ts'

let database: TestDatabase
let server: Awaited<ReturnType<typeof startIngestServer>>
let projector: Projector

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startIngestServer(database.url)
  projector = await startProjector({ url: database.url })
})
afterAll(async () => {
  await projector.stop()
  await server.stop()
  await database.drop()
})

async function folded() {
  for (let i = 0; i < 200; i++) {
    const { rows } = await server.pool.query('SELECT FROM delivery_pending WHERE set_aside_at IS NULL')
    if (rows.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('not folded')
}

test('a delivery by HTTP becomes an event and a transaction', async () => {
  const receiver = await addReceiver(server.pool)
  const post = (subType: string) =>
    fetch(server.url(receiver.id), {
      method: 'POST',
      headers: { authorization: receiver.authorization },
      body: JSON.stringify({
        type: 'fiatToCrypto',
        subType,
        uuid: 'U-1',
        data: { transactionUuid: 'T-1', status: subType, amountFiat: 4.76, currencyFiat: 'EUR' },
      }),
    })
  expect((await post('PENDING')).status).toBe(200)
  expect((await post('IN_PROGRESS')).status).toBe(200)
  await folded()
  const { rows } = await server.pool.query('SELECT * FROM transaction')
  expect(rows).toMatchObject([{ uuid: 't-1', step: 'IN_PROGRESS', amount_fiat: '4.76', user_uuid: 'u-1' }])
  const events = await server.pool.query('SELECT * FROM event ORDER BY position')
  expect(events.rows).toMatchObject([
    { sub_type: 'PENDING', position: 0, deliveries: 1 },
    { sub_type: 'IN_PROGRESS', position: 1, deliveries: 1 },
  ])
})
