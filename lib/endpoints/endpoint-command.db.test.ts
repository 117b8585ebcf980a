import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listener } from '#lib/db/listen.ts'
import { prisma } from '#lib/db/prisma.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startService, type TestService } from '../../test/service.ts'
import { createEndpoint } from './create-endpoint.ts'
import { endpointChannel } from './endpoint-changed.ts'
import { withEndpointLock } from './endpoint-lock.ts'
import { finishReplacement } from './finish-replacement.ts'
import { replaceEndpoint } from './replace-endpoint.ts'
import { setStatus } from './set-status.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await listener().close()
  await service.stop()
})

const admin = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'
const elsewhere = () => `https://merchant.example/${crypto.randomUUID()}`

const create = (url = elsewhere()) =>
  createEndpoint(
    admin,
    { to: 'elsewhere', url, description: 'There', subscribedEvents: null, reason },
    browser,
  )
const replace = (endpointUuid: string, url = elsewhere()) =>
  replaceEndpoint(admin, { endpointUuid, url, reason }, browser)
const finish = (endpointUuid: string) => finishReplacement(admin, { endpointUuid, reason }, browser)
const activate = (endpointUuid: string) =>
  setStatus(admin, { endpointUuid, status: 'active', reason }, browser)

const busy = 'This endpoint is being changed right now.'

/** How what was asked of this target ended, with what the audit says about it. */
const audited = (target: string) =>
  prisma().audit.findMany({
    where: { target, outcome: { not: 'begun' } },
    orderBy: { id: 'asc' },
    select: { action: true, outcome: true, details: true },
  })

describe('what is locked', () => {
  it('is the url, while an endpoint is created or replaces another one', async () => {
    const { endpointUuid } = await create()
    const url = elsewhere()
    await withEndpointLock([url], async () => {
      await expect(create(url)).rejects.toThrow(busy)
      await expect(replace(endpointUuid, url)).rejects.toThrow(busy)
    })
    await replace(endpointUuid, url)
  })

  it('is the endpoint that is deleted too, when a replacement is finished', async () => {
    const { endpointUuid: old } = await create()
    const { endpointUuid: second } = await replace(old)
    await withEndpointLock([old], async () => {
      const deletions = service.seen.filter((route) => route.startsWith('DELETE ')).length
      await expect(finish(second)).rejects.toThrow(busy)
      expect(service.seen.filter((route) => route.startsWith('DELETE ')).length).toBe(deletions)
    })
    await finish(second)
  })
})

describe('the audit', () => {
  it('says which endpoint was made of what was asked for', async () => {
    const url = elsewhere()
    const { endpointUuid } = await create(url)
    expect(await audited(url)).toMatchObject([{ outcome: 'done', details: { url, endpointUuid } }])
    const second = elsewhere()
    const made = await replace(endpointUuid, second)
    expect(await audited(endpointUuid)).toMatchObject([
      { action: 'endpoint.replace', details: { url: second, endpointUuid: made.endpointUuid } },
    ])
  })

  it('names the second endpoint of a replacement that is finished, and says which was deleted', async () => {
    const { endpointUuid: old } = await create()
    const { endpointUuid: second } = await replace(old)
    await finish(second)
    expect(await audited(second)).toMatchObject([
      { action: 'endpoint.finish-replacement', outcome: 'done', details: { replaces: old } },
    ])
  })
})

it('wakes the watcher after every outcome but a refusal', async () => {
  const received: string[] = []
  const stop = listener().subscribe(endpointChannel, (endpointUuid) => received.push(endpointUuid))
  await new Promise<void>((resolve) => listener().onListening(resolve))
  const patching = (route: string) => route.startsWith('PATCH ')
  const uuids = await Promise.all([create(), create(), create(), create()])
  const [refused = '', failed = '', unsure = '', done = ''] = uuids.map(({ endpointUuid }) => endpointUuid)
  await expect.poll(() => received.length).toBe(4)
  await withEndpointLock([refused], () => expect(activate(refused)).rejects.toThrow(busy))
  service.answerWith(400, patching)
  await expect(activate(failed)).rejects.toThrow()
  service.loseAnswer(patching)
  await expect(activate(unsure)).rejects.toThrow()
  await activate(done)
  await expect.poll(() => received.slice(4)).toEqual([failed, unsure, done])
  stop()
})
