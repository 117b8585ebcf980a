import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listener } from '#lib/platform/db/listen.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { auditAbout } from '../../test/audit-reason.ts'
import { callerWith } from '../../test/callers.ts'
import {
  admin,
  atService,
  audited,
  browser,
  createElsewhere,
  createHere,
  deleting,
  elsewhere,
  letsIn,
  patching,
  reason,
  repairOf,
  stateOf,
} from '../../test/endpoints.ts'
import { captureLog } from '../../test/log.ts'
import { startPooler } from '../../test/pooler.ts'
import { startService, type TestService } from '../../test/service.ts'
import { changeEndpoint, setStatus } from './change-endpoint.ts'
import { createEndpoint } from './create-endpoint.ts'
import { withEndpointLock } from './endpoint-command.ts'
import { endpointChannel } from './endpoint-states.ts'
import { findEndpoint, listEndpoints } from './endpoints.ts'
import { newReceiverAddress, repairEndpoint } from './repair-endpoint.ts'
import { deleteEndpoint, finishReplacement, replaceEndpoint } from './replace-endpoint.ts'
import { confirmSecret, rotateSecret } from './rotate-secret.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await listener().close()
  await service.stop()
})

const replace = (endpointUuid: string, url = elsewhere()) =>
  replaceEndpoint(admin, { endpointUuid, url, reason }, browser)
const finish = (endpointUuid: string) => finishReplacement(admin, { endpointUuid, reason }, browser)
const activate = (endpointUuid: string) =>
  setStatus(admin, { endpointUuid, status: 'active', reason }, browser)

const busy = 'This endpoint is being changed right now.'

describe('the lock', () => {
  it('covers the url, while an endpoint is created or replaces another one', async () => {
    const { endpointUuid } = await createElsewhere()
    const url = elsewhere()
    await withEndpointLock([url], async () => {
      await expect(createElsewhere({ url })).rejects.toThrow(busy)
      await expect(replace(endpointUuid, url)).rejects.toThrow(busy)
    })
    await replace(endpointUuid, url)
  })

  it('also covers the endpoint that is deleted, when a replacement is finished', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const { endpointUuid: second } = await replace(old)
    await withEndpointLock([old], async () => {
      const deletions = service.seen.filter(deleting).length
      await expect(finish(second)).rejects.toThrow(busy)
      expect(service.seen.filter(deleting).length).toBe(deletions)
    })
    await finish(second)
  })
})

describe('the lock, where the database limits idle transactions', () => {
  const name = () => new URL(env().databaseUrl).pathname.slice(1)
  const limit = (words: string) => prisma().$executeRawUnsafe(`ALTER DATABASE "${name()}" ${words}`)

  it.each(['a direct connection', 'a pooler'])('is kept as long as the change takes, by %s', async (way) => {
    const { endpointUuid } = await createElsewhere()
    const url = env().databaseUrl
    await limit('SET idle_in_transaction_session_timeout = 200')
    const pooler = way === 'a pooler' ? await startPooler(url) : null
    if (pooler) vi.stubEnv('DATABASE_URL', pooler.url)
    globalThis.rampartEnv = undefined
    await withEndpointLock([endpointUuid], async () => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      await expect(activate(endpointUuid)).rejects.toThrow(busy)
    })
    await limit('RESET idle_in_transaction_session_timeout')
    pooler?.stop()
    vi.stubEnv('DATABASE_URL', url)
    globalThis.rampartEnv = undefined
  })
})

describe('the audit', () => {
  it('names the new endpoint beside what was asked for', async () => {
    const url = elsewhere()
    const { endpointUuid } = await createElsewhere({ url })
    const masked = maskUrl(url)
    expect((await audited(masked)).at(-1)).toMatchObject({
      outcome: 'done',
      details: { url: masked, endpointUuid },
    })
    const second = elsewhere()
    const made = await replace(endpointUuid, second)
    expect(await audited(endpointUuid)).toMatchObject([
      { action: 'endpoint.replace', details: { url: maskUrl(second), endpointUuid: made.endpointUuid } },
    ])
  })

  it('names the second endpoint of a replacement that is finished, and says which was deleted', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const { endpointUuid: second } = await replace(old)
    await finish(second)
    expect(await audited(second)).toMatchObject([
      { action: 'endpoint.finish-replacement', outcome: 'done', details: { replaces: old } },
    ])
  })

  const refusing = (outcome: string, work: () => Promise<void>) =>
    refusingRows('audit', `outcome <> '${outcome}'`, work)

  it('is written before the service is asked: without it, nothing is done', async () => {
    const { endpointUuid } = await createElsewhere()
    const before = service.seen.length
    await refusing('begun', async () => {
      await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow()
    })
    expect(service.seen.length).toBe(before)
  })

  it('keeps the entry of the beginning, and the secret is not lost, when the outcome cannot be written', async () => {
    const { endpointUuid } = await createElsewhere()
    const logged = captureLog()
    await refusing('done', async () => {
      const { signingSecret } = await rotateSecret(admin, { endpointUuid, reason }, browser)
      expect(signingSecret).toBe((await atService(service, { uuid: endpointUuid }))?.signing_secret)
      expect(logged.text()).not.toContain(signingSecret)
    })
    expect(logged.lines).toMatchObject([
      { level: 'error', action: 'endpoint.rotate-secret', outcome: 'done' },
    ])
    logged.stop()
    expect(await auditAbout(endpointUuid)).toMatchObject([
      { action: 'endpoint.rotate-secret', outcome: 'begun', reason },
    ])
  })
})

it('no secret is lost when its hand-off cannot be kept, or an earlier receiver cannot be closed', async () => {
  const { endpointUuid } = await createElsewhere()
  const id = crypto.randomUUID()
  await prisma().receiver.create({ data: { id, endpointUuid, state: 'active' } })
  const logged = captureLog()
  await refusingRows('secret_handoff', `state <> 'shown'`, () =>
    refusingRows('receiver', `state <> 'closed'`, async () => {
      const { signingSecret } = await rotateSecret(admin, { endpointUuid, reason }, browser)
      expect(signingSecret).toBe((await atService(service, { uuid: endpointUuid }))?.signing_secret)
      const second = await createElsewhere()
      const held = await atService(service, { uuid: second.endpointUuid })
      expect(second.signingSecret).toBe(held?.signing_secret)
      expect(await stateOf(id)).toBe('active')
    }),
  )
  expect(logged.lines).toMatchObject([{ level: 'error' }, { level: 'error' }, { level: 'error' }])
  logged.stop()
  expect(await repairOf(endpointUuid)).toBe('not-seen')
})

/** The database refuses rows that do not meet the condition while `work` runs. */
async function refusingRows(table: string, condition: string, work: () => Promise<void>) {
  await prisma().$executeRawUnsafe(
    `ALTER TABLE ${table} ADD CONSTRAINT refusing CHECK (${condition}) NOT VALID`,
  )
  await work().finally(() => prisma().$executeRawUnsafe(`ALTER TABLE ${table} DROP CONSTRAINT refusing`))
}

it('wakes the watcher after every outcome but a refusal', async () => {
  const received: string[] = []
  const stop = listener().subscribe(endpointChannel, (endpointUuid) => received.push(endpointUuid))
  await new Promise<void>((resolve) => listener().onListening(resolve))
  const uuids = await Promise.all([
    createElsewhere(),
    createElsewhere(),
    createElsewhere(),
    createElsewhere(),
  ])
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

describe('permissions', () => {
  it.each(['support', 'auditor', 'end-user'] as const)('%s cannot change anything', async (role) => {
    const { endpointUuid, receiverId } = await createHere()
    const caller = callerWith(role)
    const before = service.seen.length
    const { receiverId: prepared } = newReceiverAddress()
    const form = {
      to: 'here',
      receiverId: prepared,
      description: 'No',
      subscribedEvents: null,
      reason,
    } as const
    for (const attempt of [
      () => createEndpoint(caller, form, browser),
      () => changeEndpoint(caller, { to: 'here', endpointUuid, reason, subscribedEvents: null }, browser),
      () => rotateSecret(caller, { endpointUuid, reason }, browser),
      () => setStatus(caller, { endpointUuid, status: 'disabled', reason }, browser),
      () => deleteEndpoint(caller, { endpointUuid, reason }, browser),
      () => repairEndpoint(caller, { endpointUuid, reason }, browser),
      () => replaceEndpoint(caller, { endpointUuid, url: elsewhere(), reason }, browser),
      () => finishReplacement(caller, { endpointUuid, reason }, browser),
      () => confirmSecret(caller, { endpointUuid }, browser),
    ]) {
      await expect(attempt()).rejects.toThrow(NotAllowed)
    }
    expect(service.seen.length).toBe(before)
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
    expect(await stateOf(prepared)).toBeUndefined()
  })

  it('an end user does not even see them', async () => {
    await expect(listEndpoints(callerWith('end-user'))).rejects.toThrow(NotAllowed)
    await expect(findEndpoint(callerWith('end-user'), crypto.randomUUID())).rejects.toThrow(NotAllowed)
    await expect(listEndpoints(callerWith('support'))).resolves.toBeInstanceOf(Array)
  })
})
