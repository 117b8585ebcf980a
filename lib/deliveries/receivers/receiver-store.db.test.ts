import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { newReceiverAddress } from '#lib/endpoints/repair-endpoint.ts'
import { deleteEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { admin, browser, createHere, reason } from '../../../test/endpoints.ts'
import { type Match, startService, type TestService } from '../../../test/service.ts'
import { forgetAll, set, watch } from '../../../test/watched.ts'
import type { EventType } from '../rules/event-types.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  await forgetAll()
  await pool().query('DELETE FROM receiver_period')
})

const posting: Match = (route) => route === 'POST /merchant/webhook-endpoints'
const patching: Match = (route) => route.startsWith('PATCH ') && !route.endsWith('/secret')

/** The periods show which event types receivers got and when, without a round of the watcher. */
async function periods() {
  const { rows } = await pool().query<{ began: Date; ended: Date | null; events: string }>(
    `SELECT began_at AS began, ended_at AS ended, array_to_string(events, ',') AS events FROM receiver_period
     ORDER BY began_at, ended_at`,
  )
  return rows
}
const lasting = async () => (await periods()).map(({ events, ended }) => [events, ended === null])

async function databaseNow() {
  const { rows } = await pool().query<{ now: Date }>('SELECT clock_timestamp()::timestamptz(3) AS now')
  return rows[0]?.now.getTime() ?? 0
}

const change = (endpointUuid: string, subscribedEvents: EventType[]) =>
  changeEndpoint(admin, { to: 'same', endpointUuid, subscribedEvents, reason }, browser)

it('records at once that an endpoint created, disabled, enabled or deleted here gets nothing or everything', async () => {
  const { endpointUuid } = await createHere({ subscribedEvents: ['KYC'] })
  expect(await lasting()).toEqual([['KYC', true]])
  const asked = await databaseNow()
  await set(endpointUuid, 'disabled')
  const disabled = await databaseNow()
  await set(endpointUuid, 'active')
  const enabled = await databaseNow()
  const [first, second] = await periods()
  expect(await lasting()).toEqual([
    ['KYC', false],
    ['KYC', true],
  ])
  const ended = first?.ended?.getTime() ?? 0
  const began = second?.began.getTime() ?? 0
  expect([asked <= ended, ended <= disabled, disabled <= began + 1, began <= enabled]).toEqual(
    Array(4).fill(true),
  )
  // The watcher finds nothing to add.
  const before = await periods()
  await watch()
  expect(await periods()).toEqual(before)
  await deleteEndpoint(admin, { endpointUuid, reason }, browser)
  expect((await lasting()).map(([, lasts]) => lasts)).toEqual([false, false])
})

it('records at once which event types an endpoint gets', async () => {
  const { endpointUuid } = await createHere()
  await change(endpointUuid, ['KYC', 'AML'])
  expect(await lasting()).toEqual([
    ['*', false],
    ['AML,KYC', true],
  ])
  // One of the two periods is valid at every moment.
  const [earlier, later] = await periods()
  expect((later?.began.getTime() ?? 0) <= (earlier?.ended?.getTime() ?? 0)).toBe(true)
})

it('records at once that an endpoint was pointed here, and away again', async () => {
  const form = {
    to: 'elsewhere',
    url: 'https://merchant.example/a',
    description: 'There',
    subscribedEvents: null,
    reason,
  }
  const { endpointUuid } = await createEndpoint(admin, { ...form, to: 'elsewhere' }, browser)
  expect(await periods()).toEqual([])
  const shared = { endpointUuid, subscribedEvents: null, reason }
  await changeEndpoint(admin, { ...shared, to: 'here' }, browser)
  // The endpoint may repeat here what it delivered elsewhere, so it does not count as new.
  const { rows } = await pool().query(
    `SELECT began_at = '-infinity' AS always, ended_at FROM receiver_period`,
  )
  expect(rows).toEqual([{ always: true, ended_at: null }])
  await changeEndpoint(admin, { ...shared, to: 'elsewhere', url: 'https://merchant.example/b' }, browser)
  expect((await lasting()).map(([, lasts]) => lasts)).toEqual([false])
})

it('leaves a change without an answer to the watcher', async () => {
  const { receiverId } = newReceiverAddress()
  const subscribedEvents: EventType[] = ['KYC']
  const form = { to: 'here', receiverId, description: 'Here', subscribedEvents, reason } as const
  service.loseAnswer(posting)
  await expect(createEndpoint(admin, form, browser)).rejects.toThrow()
  expect(await lasting()).toEqual([['KYC', true]])
  const { endpointUuid } = await createHere()
  service.loseAnswer(patching)
  await expect(set(endpointUuid, 'disabled')).rejects.toThrow()
  expect((await lasting()).at(-1)).toEqual(['*', true])
  await watch()
  expect((await lasting()).at(-1)).toEqual(['*', false])
})
