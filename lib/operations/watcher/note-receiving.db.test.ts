import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { recordReceiving } from '#lib/deliveries/receivers/receiver-store.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { serviceClient as connection } from '#lib/service/service-client.ts'
import { deleteWebhookEndpoint, updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { createHere } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { forgetAll, watch } from '../../../test/watched.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  await forgetAll()
  await pool().query('DELETE FROM receiver_period')
})

async function periods() {
  const { rows } = await pool().query<{ events: string[]; lasts: boolean }>(
    'SELECT events, ended_at IS NULL AS lasts FROM receiver_period ORDER BY began_at, ended_at',
  )
  return rows.map(({ events, lasts }) => [events.join(), lasts])
}

it('records an event type that no text of PostgreSQL can hold', async () => {
  const { receiverId } = await createHere()
  await pool().query('DELETE FROM receiver_period')
  await inTransaction(pool(), (tx) =>
    recordReceiving(tx, [{ receiverId, subscribedEvents: ['KYC\0', '\ud800'] }], Date.now()),
  )
  expect(await periods()).toEqual([['KYC\ufffd,\ufffd', true]])
})

it('records which endpoint got which events when, although all changes were made elsewhere', async () => {
  const { endpointUuid } = await createHere({ subscribedEvents: ['KYC'] })
  await watch()
  expect(await periods()).toEqual([['KYC', true]])
  await updateWebhookEndpoint(connection(), endpointUuid, { status: 'disabled' })
  await watch()
  expect((await periods()).at(-1)).toEqual(['KYC', false])
  await watch()
  await updateWebhookEndpoint(connection(), endpointUuid, { status: 'active' })
  await watch()
  expect(await periods()).toEqual([
    ['KYC', false],
    ['KYC', true],
  ])
  // The endpoint was off at least between the two rounds.
  const { rows } = await pool().query<{ off: boolean }>(
    `SELECT began_at > (SELECT max(ended_at) FROM receiver_period) AS off FROM receiver_period WHERE ended_at IS NULL`,
  )
  expect(rows).toEqual([{ off: true }])
  await deleteWebhookEndpoint(connection(), endpointUuid)
  await watch()
  expect((await periods()).map(([, lasts]) => lasts)).toEqual([false, false])
})
