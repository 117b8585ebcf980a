import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { changeChannel, parseChange } from '#lib/platform/change-notification.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'

const ana = crypto.randomUUID()
const transaction = crypto.randomUUID()
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

test('a customer is notified of what a customer may know, and of no check', async () => {
  const heard: (readonly [string, string | null])[] = []
  const listener = openListener(database.url)
  listener.subscribe(changeChannel, (payload) => {
    heard.push(...(parseChange(payload)?.subjects ?? []))
  })
  await new Promise<void>((resolve) => listener.onListening(resolve))
  const { id: receiverId } = await addReceiver(pool())
  const shards = await takeAllShards(pool())
  const fold = async (type: string, data: object) => {
    heard.length = 0
    const body = { type, subType: 'statusUpdate', uuid: ana, data }
    await appendPastDeliveries([
      { receiverId, receivedAt: new Date(), body: Buffer.from(JSON.stringify(body)) },
    ])
    await foldWaiting(shards)
    await expect.poll(() => heard.length).toBe(1)
    return heard[0]
  }
  const entity = `entity:${ana}`
  expect(await fold('KYC', { status: 'KYC_PENDING' })).toEqual([entity, ana])
  expect(await fold('AML', { status: 'FAILED' })).toEqual([entity, null])
  expect(await fold('duplicateUser', { duplicateOf: crypto.randomUUID() })).toEqual([entity, null])
  expect(await fold('entityStatusUpdate', { status: 'SUSPENDED' })).toEqual([entity, null])
  expect(await fold('aTypeOfTomorrow', {})).toEqual([entity, null])
  const subject = `transaction:${transaction}`
  expect(await fold('fiatToCrypto', { transactionUuid: transaction })).toEqual([subject, ana])
  expect(await fold('senderNameMismatch', { transactionUuid: transaction })).toEqual([subject, null])
  await listener.close()
})
