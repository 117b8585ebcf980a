import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { runWatchRound, watchJob } from '#lib/operations/watcher/watcher.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { serviceClient as connection } from '#lib/service/service-client.ts'
import { listWebhookEndpoints as listAtService } from '#lib/service/webhook-endpoints.ts'
import {
  admin,
  browser,
  createElsewhere,
  createHere,
  deleting,
  elsewhere,
  reason,
  rotating,
  stateOf,
} from '../../test/endpoints.ts'
import { startService, type TestService } from '../../test/service.ts'
import { findEndpoint, listEndpoints } from './endpoints.ts'
import { deleteEndpoint, replaceEndpoint } from './replace-endpoint.ts'
import { rotateSecret } from './rotate-secret.ts'
import {
  beginHandoffOfNewEndpoint,
  findSecretHandoff,
  markNewSecretShown,
  markSecretShown,
  reconcile,
} from './secret-handoff-store.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const rows = async () => ({
  receivers: await prisma().receiver.findMany({ orderBy: { id: 'asc' } }),
  handoffs: await prisma().secretHandoff.findMany({ orderBy: { id: 'asc' } }),
})

const deleteThere = (endpointUuid: string) =>
  fetch(`${service.baseUrl}/merchant/webhook-endpoints/${endpointUuid}`, {
    method: 'DELETE',
    headers: { authorization: service.apiKey },
  })

/** No running change can still touch the rows. */
async function ago() {
  const data = { updatedAt: new Date(Date.now() - 120_000) }
  await prisma().receiver.updateMany({ data })
  await prisma().secretHandoff.updateMany({ data })
}

const reconcileNow = async () => reconcile(await listAtService(connection()), new Date())

it('the watcher finishes interrupted changes, and reading the endpoints changes nothing', async () => {
  const { receiverId, endpointUuid } = await createHere()
  await createHere()
  await deleteThere(endpointUuid)
  await ago()
  const url = elsewhere()
  service.loseAnswer((route) => route.startsWith('POST '))
  await expect(createElsewhere({ url })).rejects.toThrow('may have been created')

  const before = await rows()
  const [made] = (await listEndpoints(admin)).filter((endpoint) => endpoint.url === url)
  expect(made).toMatchObject({ repair: null })
  await findEndpoint(admin, made?.uuid ?? '')
  await findEndpoint(admin, endpointUuid)
  expect(await rows()).toEqual(before)

  await reconcileNow()
  expect(await prisma().receiver.findUnique({ where: { id: receiverId } })).toMatchObject({ state: 'closed' })
  expect(await findEndpoint(admin, made?.uuid ?? '')).toMatchObject({ repair: 'not-seen' })
})

/** Another merchant's key was given: the service lists nothing of ours, and knows no endpoint that it is asked for. */
async function reconcileAsStranger() {
  let isStranger = true
  service.answerWith(404, (route) => isStranger && route.startsWith('GET '), 100)
  await reconcile([], new Date())
  isStranger = false
}

it("another merchant's key closes only what was to be deleted, and forgets nothing", async () => {
  await prisma().receiver.deleteMany()
  await prisma().secretHandoff.deleteMany()
  const [active, rotated, refused, gone] = [
    await createHere(),
    await createHere(),
    await createHere(),
    await createHere(),
  ]
  const shown = await createElsewhere()
  service.loseAnswer(rotating)
  const form = (endpointUuid: string) => ({ endpointUuid, reason })
  await expect(rotateSecret(admin, form(rotated.endpointUuid), browser)).rejects.toThrow('lost')
  service.answerWith(429, deleting)
  await expect(deleteEndpoint(admin, form(refused.endpointUuid), browser)).rejects.toThrow('not deleted')
  service.answerWith(500, deleting, 2)
  await expect(deleteEndpoint(admin, form(gone.endpointUuid), browser)).rejects.toThrow('may have been')
  await ago()
  await reconcileAsStranger()
  expect(await Promise.all([active, rotated, refused, gone].map((one) => stateOf(one.receiverId)))).toEqual([
    'active',
    'rotating',
    'active',
    'closed',
  ])
  expect(await findEndpoint(admin, shown.endpointUuid)).toMatchObject({ shownAt: expect.any(String) })
})

it('a replacement that is gone at the service does not block the next one for good', async () => {
  await prisma().receiver.deleteMany()
  await prisma().secretHandoff.deleteMany()
  const { endpointUuid } = await createElsewhere()
  await prisma().secretHandoff.deleteMany()
  const replace = () => replaceEndpoint(admin, { endpointUuid, url: elsewhere(), reason }, browser)
  const second = await replace()
  await ago()
  await reconcileNow()
  await expect(replace()).rejects.toThrow('being replaced already')
  await deleteThere(second.endpointUuid)
  await prisma().secretHandoff.updateMany({ data: { updatedAt: new Date() } })
  await reconcileNow()
  await expect(replace()).rejects.toThrow('being replaced already')
  await ago()
  await reconcileNow()
  await expect(replace()).resolves.toMatchObject({ signingSecret: expect.any(String) })
})

const newHandoff = () => ({ url: elsewhere(), description: 'New', knownEndpoints: [], replaces: null })

it('machines whose clocks differ do not forget a creation that is under way', async () => {
  const handoff = newHandoff()
  const setClock = (minutes: number) =>
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  setClock(-10)
  const id = await beginHandoffOfNewEndpoint(handoff)
  vi.useRealTimers()
  setClock(10)
  expect(await runWatchRound(pool(), watchJob())).toBe(true)
  vi.useRealTimers()
  expect(await prisma().secretHandoff.count({ where: { id } })).toBe(1)
})

it('a hand-off that was forgotten before its secret came is kept again, as it was', async () => {
  const [id, made, rotated] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  const replaces = crypto.randomUUID()
  await markNewSecretShown(id, { ...newHandoff(), replaces }, made)
  await markSecretShown(rotated)
  expect(await findSecretHandoff(made)).toMatchObject({ id, state: 'shown', description: 'New', replaces })
  expect(await findSecretHandoff(rotated)).toMatchObject({ state: 'shown', replaces: null })
})
