import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { newReceiverAddress, repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { prisma } from '../db/prisma.ts'

/** The dashboard is on this machine. A real service would not accept its address (§8). */

let service: TestService
beforeAll(async () => {
  service = await startService()
  vi.stubEnv('RAMPART_SANDBOX_URL', undefined)
})
afterAll(() => service.stop())

const admin = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'
const description = 'Here'
const subscribedEvents = null
const refused = 'The provider delivers to https addresses only.'

async function createElsewhere(url: string): Promise<string> {
  const form = { to: 'elsewhere', url, description, subscribedEvents, reason } as const
  return (await createEndpoint(admin, form, browser)).endpointUuid
}

const changesAtService = () => service.seen.filter((route) => !route.startsWith('GET '))

it('an address without HTTPS is refused before the service is asked, and nothing is stored', async () => {
  const elsewhere = await createElsewhere('https://merchant.example/hook')
  const receiverId = crypto.randomUUID()
  const earlier = await createElsewhere(`https://old.example/api/webhooks/${receiverId}`)
  await prisma().receiver.create({ data: { id: receiverId, endpointUuid: earlier, state: 'active' } })
  const before = { receivers: await prisma().receiver.findMany(), changes: changesAtService() }
  const { receiverId: prepared } = newReceiverAddress()
  for (const attempt of [
    () =>
      createEndpoint(
        admin,
        { to: 'here', receiverId: prepared, description, subscribedEvents, reason },
        browser,
      ),
    () => changeEndpoint(admin, { to: 'here', endpointUuid: elsewhere, reason, subscribedEvents }, browser),
    () => repairEndpoint(admin, { endpointUuid: earlier, reason }, browser),
  ]) {
    await expect(attempt()).rejects.toThrow(refused)
  }
  expect({ receivers: await prisma().receiver.findMany(), changes: changesAtService() }).toEqual(before)
})
