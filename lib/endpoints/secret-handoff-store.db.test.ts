import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prisma } from '#lib/platform/db/prisma.ts'
import { serviceClient as connection } from '#lib/service/service-client.ts'
import { listWebhookEndpoints as listAtService } from '#lib/service/webhook-endpoints.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startService, type TestService } from '../../test/service.ts'
import { createEndpoint } from './create-endpoint.ts'
import { findEndpoint, listEndpoints } from './endpoints.ts'
import { newReceiverAddress } from './repair-endpoint.ts'
import { reconcile } from './secret-handoff-store.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const admin = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'

const rows = async () => ({
  receivers: await prisma().receiver.findMany({ orderBy: { id: 'asc' } }),
  handoffs: await prisma().secretHandoff.findMany({ orderBy: { id: 'asc' } }),
})

it('the watcher finishes interrupted changes, and reading the endpoints changes nothing', async () => {
  const { receiverId } = newReceiverAddress()
  const here = { to: 'here', receiverId, description: 'Gone', subscribedEvents: null, reason } as const
  const { endpointUuid } = await createEndpoint(admin, here, browser)
  await createEndpoint(admin, { ...here, receiverId: newReceiverAddress().receiverId }, browser)
  await fetch(`${service.baseUrl}/merchant/webhook-endpoints/${endpointUuid}`, {
    method: 'DELETE',
    headers: { authorization: service.apiKey },
  })
  await prisma().receiver.updateMany({ data: { updatedAt: new Date(Date.now() - 120_000) } })
  const url = `https://merchant.example/${crypto.randomUUID()}`
  const elsewhere = {
    to: 'elsewhere',
    url,
    description: 'Made unseen',
    subscribedEvents: null,
    reason,
  } as const
  service.loseAnswer((route) => route.startsWith('POST '))
  await expect(createEndpoint(admin, elsewhere, browser)).rejects.toThrow('may have been created')

  const before = await rows()
  const [made] = (await listEndpoints(admin)).filter((endpoint) => endpoint.url === url)
  expect(made).toMatchObject({ repair: null })
  await findEndpoint(admin, made?.uuid ?? '')
  await findEndpoint(admin, endpointUuid)
  expect(await rows()).toEqual(before)

  await reconcile(await listAtService(connection()), new Date())
  expect(await prisma().receiver.findUnique({ where: { id: receiverId } })).toMatchObject({ state: 'closed' })
  expect(await findEndpoint(admin, made?.uuid ?? '')).toMatchObject({ repair: 'not-seen' })
})
