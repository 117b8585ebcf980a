import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { receiverIdOf, receiverUrl } from '#lib/addresses/receiver-url.ts'
import { prisma } from '#lib/db/prisma.ts'
import { digestSecret } from '#lib/keys/secret-digest.ts'
import { InvalidInput, NotAllowed, Refused } from '#lib/request/refusals.ts'
import { listWebhookEndpoints as listAtService } from '#lib/service/webhook-endpoints.ts'
import { serviceClient as connection } from '#lib/service-client.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { captureLog } from '../../test/log.ts'
import { type Match, startService, type TestService } from '../../test/service.ts'
import { ChangeEndpointSchema, changeEndpoint } from './change-endpoint.ts'
import { confirmSecret } from './confirm-secret.ts'
import { CreateEndpointSchema, createEndpoint } from './create-endpoint.ts'
import { deleteEndpoint } from './delete-endpoint.ts'
import { withEndpointLock } from './endpoint-lock.ts'
import { findEndpoint } from './find-endpoint.ts'
import { finishReplacement } from './finish-replacement.ts'
import { listEndpoints } from './list-endpoints.ts'
import { newReceiverAddress } from './new-receiver-address.ts'
import { reconcile } from './reconcile.ts'
import { repairEndpoint } from './repair-endpoint.ts'
import { replaceEndpoint } from './replace-endpoint.ts'
import { rotateSecret } from './rotate-secret.ts'
import { setStatus } from './set-status.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const admin = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'
const elsewhere = () => `https://merchant.example/${crypto.randomUUID()}`

const posting: Match = (route) => route === 'POST /merchant/webhook-endpoints'
const rotating: Match = (route) => route.startsWith('PATCH ') && route.endsWith('/secret')
const patching: Match = (route) => route.startsWith('PATCH ') && !route.endsWith('/secret')
const deleting: Match = (route) => route.startsWith('DELETE ')

async function createHere(receiverId = newReceiverAddress().receiverId) {
  const form = { to: 'here', receiverId, description: 'Here', subscribedEvents: null, reason } as const
  return { receiverId, ...(await createEndpoint(admin, form, browser)) }
}

const createElsewhere = (url = elsewhere()) =>
  createEndpoint(
    admin,
    { to: 'elsewhere', url, description: 'There', subscribedEvents: ['KYC'], reason },
    browser,
  )

/** What the service holds, secret and all. */
async function atService(where: { uuid: string } | { url: string }) {
  const [name, value] = Object.entries(where)[0] ?? ['', '']
  return HeldSchema.parse(await service.control('/endpoints')).find((endpoint) => endpoint[name] === value)
}
const HeldSchema = z.array(
  z.looseObject({ uuid: z.string(), url: z.string(), status: z.string(), signing_secret: z.string() }),
)

/** Whether a delivery signed as the service signs now would be let in at this receiver. */
async function letsIn(receiverId: string, endpointUuid: string): Promise<boolean> {
  const receiver = await prisma().receiver.findUniqueOrThrow({ where: { id: receiverId } })
  const held = await atService({ uuid: endpointUuid })
  if (!held || !receiver.secretDigest) return false
  return receiver.state === 'active' && digestSecret(held.signing_secret).digest.equals(receiver.secretDigest)
}

const stateOf = async (id: string) => (await prisma().receiver.findUnique({ where: { id } }))?.state

/** As if what began had begun a while ago. */
const later = () => prisma().receiver.updateMany({ data: { updatedAt: new Date(Date.now() - 60_000) } })

const repairOf = async (uuid: string) => (await findEndpoint(admin, uuid))?.repair

/** How each change ended: one entry says so, after the one that says that it began. */
const audited = (target: string) =>
  prisma().audit.findMany({
    where: { target, outcome: { not: 'begun' } },
    orderBy: { id: 'asc' },
    select: { action: true, outcome: true, reason: true, actor: true },
  })

describe('creating', () => {
  it('an endpoint that delivers here keeps a digest of its secret and shows none', async () => {
    const made = await createHere()
    expect(made).toMatchObject({ url: receiverUrl(made.receiverId), signingSecret: null })
    expect(await letsIn(made.receiverId, made.endpointUuid)).toBe(true)
    expect(await findEndpoint(admin, made.endpointUuid)).toMatchObject({
      ours: true,
      status: 'active',
      repair: null,
      receiver: { id: made.receiverId, state: 'active', refused: 0 },
    })
    expect(await audited(made.receiverId)).toEqual([
      { action: 'endpoint.create', outcome: 'done', reason, actor: admin.id },
    ])
  })

  it('an endpoint elsewhere shows its secret once and keeps nothing of it', async () => {
    const { endpointUuid, signingSecret } = await createElsewhere()
    expect(signingSecret).toBe((await atService({ uuid: endpointUuid }))?.signing_secret)
    expect(await prisma().receiver.count({ where: { endpointUuid } })).toBe(0)
    const everything = JSON.stringify(await prisma().audit.findMany())
    expect(everything).not.toContain(signingSecret)
    expect(await findEndpoint(admin, endpointUuid)).toMatchObject({
      ours: false,
      receiver: null,
      repair: null,
    })
  })

  it('the same form sent twice makes one endpoint', async () => {
    const { receiverId } = newReceiverAddress()
    const both = await Promise.allSettled([createHere(receiverId), createHere(receiverId)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(createHere(receiverId)).rejects.toThrow('This form was sent before.')
    const list = await listEndpoints(admin)
    expect(list.filter(({ url }) => url === receiverUrl(receiverId))).toHaveLength(1)
  })

  it('when the answer is lost, the endpoint is listed without a secret and repaired by one click', async () => {
    const { receiverId } = newReceiverAddress()
    service.loseAnswer(posting)
    await expect(createHere(receiverId)).rejects.toThrow('The endpoint may have been created all the same.')
    expect(await stateOf(receiverId)).toBe('pending')
    const { uuid = '' } = (await atService({ url: receiverUrl(receiverId) })) ?? {}
    expect(await repairOf(uuid)).toBeNull()
    await later()
    expect(await repairOf(uuid)).toBe('no-secret')
    await repairEndpoint(admin, { endpointUuid: uuid, reason }, browser)
    expect(await letsIn(receiverId, uuid)).toBe(true)
    expect(await repairOf(uuid)).toBeNull()
  })

  it('when the service surely refused, nothing is left behind', async () => {
    const { receiverId } = newReceiverAddress()
    service.answerWith(400, posting)
    await expect(createHere(receiverId)).rejects.toThrow(Refused)
    expect(await stateOf(receiverId)).toBe('closed')
    expect((await audited(receiverId)).map(({ outcome }) => outcome)).toEqual(['failed'])
  })
})

describe('rotating', () => {
  it('here: the new secret lets deliveries in, the old one does not', async () => {
    const { endpointUuid, receiverId } = await createHere()
    const before = (await atService({ uuid: endpointUuid }))?.signing_secret
    expect(await rotateSecret(admin, { endpointUuid, reason }, browser)).toEqual({
      endpointUuid,
      signingSecret: null,
    })
    expect((await atService({ uuid: endpointUuid }))?.signing_secret).not.toBe(before)
    expect(await letsIn(receiverId, endpointUuid)).toBe(true)
    expect(await audited(endpointUuid)).toEqual([
      { action: 'endpoint.rotate-secret', outcome: 'done', reason, actor: admin.id },
    ])
  })

  it('elsewhere: the new secret is shown once', async () => {
    const { endpointUuid } = await createElsewhere()
    const { signingSecret } = await rotateSecret(admin, { endpointUuid, reason }, browser)
    expect(signingSecret).toBe((await atService({ uuid: endpointUuid }))?.signing_secret)
  })

  it('stays rotating after a lost answer until it is repaired', async () => {
    const { endpointUuid, receiverId } = await createHere()
    service.loseAnswer(rotating)
    await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow(
      'The secret may have been rotated, and the new one was lost.',
    )
    expect(await stateOf(receiverId)).toBe('rotating')
    expect((await audited(endpointUuid)).map(({ outcome }) => outcome)).toEqual(['unsure'])
    await later()
    expect(await repairOf(endpointUuid)).toBe('no-secret')
    service.loseAnswer(rotating)
    await expect(repairEndpoint(admin, { endpointUuid, reason }, browser)).rejects.toThrow(Refused)
    expect(await stateOf(receiverId)).toBe('rotating')
    await repairEndpoint(admin, { endpointUuid, reason }, browser)
    expect(await letsIn(receiverId, endpointUuid)).toBe(true)
  })

  it('leaves everything unchanged when the service surely refused', async () => {
    const { endpointUuid, receiverId } = await createHere()
    service.answerWith(429, rotating)
    await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow(Refused)
    expect(await letsIn(receiverId, endpointUuid)).toBe(true)
  })

  it('runs one rotation at a time', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await withEndpointLock([endpointUuid], async () => {
      await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow(
        'being changed right now',
      )
    })
    const all = await Promise.allSettled(
      Array.from({ length: 4 }, () => rotateSecret(admin, { endpointUuid, reason }, browser)),
    )
    expect(all.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await letsIn(receiverId, endpointUuid)).toBe(true)
  })
})

describe('changing', () => {
  const change = (endpointUuid: string, form: object) =>
    changeEndpoint(admin, ChangeEndpointSchema.parse({ endpointUuid, reason, ...form }), browser)

  it('changing the url to this dashboard creates a receiver and rotates; away from it closes the receiver; back again creates another', async () => {
    const { endpointUuid, signingSecret } = await createElsewhere()
    const events = { subscribedEvents: ['KYC'] }
    await change(endpointUuid, { to: 'here', ...events })
    const moved = await findEndpoint(admin, endpointUuid)
    const first = moved?.receiver?.id ?? ''
    expect(moved).toMatchObject({ ours: true, repair: null, url: receiverUrl(first) })
    expect((await atService({ uuid: endpointUuid }))?.signing_secret).not.toBe(signingSecret)
    expect(await letsIn(first, endpointUuid)).toBe(true)

    const away = await change(endpointUuid, { to: 'elsewhere', url: elsewhere(), ...events })
    expect(away).toEqual({ endpointUuid, secretUnknown: true })
    expect(await stateOf(first)).toBe('closed')
    expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ ours: false, repair: 'not-seen' })

    await change(endpointUuid, { to: 'here', ...events })
    const back = (await findEndpoint(admin, endpointUuid))?.receiver?.id ?? ''
    expect(back).not.toBe(first)
    expect(await letsIn(back, endpointUuid)).toBe(true)
  })

  it('the url to ours with either answer lost is repaired by one click', async () => {
    for (const lost of [patching, rotating]) {
      const { endpointUuid } = await createElsewhere()
      service.loseAnswer(lost)
      await expect(change(endpointUuid, { to: 'here', subscribedEvents: 'KYC' })).rejects.toThrow(Refused)
      await later()
      const { receiver, repair } = (await findEndpoint(admin, endpointUuid)) ?? {}
      expect(repair).toBe('no-secret')
      await repairEndpoint(admin, { endpointUuid, reason }, browser)
      expect(await letsIn(receiver?.id ?? '', endpointUuid)).toBe(true)
    }
  })

  it('the subscribed events, but never to none, and sends nothing when nothing changed', async () => {
    const { endpointUuid } = await createElsewhere()
    await change(endpointUuid, { to: 'same', subscribedEvents: ['KYC', 'KYB'] })
    expect((await findEndpoint(admin, endpointUuid))?.subscribedEvents).toEqual(['KYC', 'KYB'])
    await expect(change(endpointUuid, { to: 'same' })).rejects.toThrow(InvalidInput)
    const before = service.seen.filter(patching).length
    await change(endpointUuid, { to: 'same', subscribedEvents: ['KYB', 'KYC'] })
    expect(service.seen.filter(patching).length).toBe(before)
  })
})

describe('replacing with overlap', () => {
  const replace = (endpointUuid: string, url = elsewhere()) =>
    replaceEndpoint(admin, { endpointUuid, url, reason }, browser)
  const finish = (endpointUuid: string) => finishReplacement(admin, { endpointUuid, reason }, browser)

  it('makes a second endpoint like the first, and deletes the first when that is deployed', async () => {
    const { endpointUuid: old, url } = await createElsewhere()
    const second = await replace(old, url)
    expect(second.signingSecret).toBe((await atService({ uuid: second.endpointUuid }))?.signing_secret)
    expect(await findEndpoint(admin, old)).toMatchObject({ replacedBy: second.endpointUuid, repair: null })
    expect(await findEndpoint(admin, second.endpointUuid)).toMatchObject({
      url,
      description: 'There',
      subscribedEvents: ['KYC'],
      replaces: old,
      shownAt: expect.any(String),
      repair: null,
    })
    await finish(second.endpointUuid)
    expect(await findEndpoint(admin, old)).toBeNull()
    expect(await findEndpoint(admin, second.endpointUuid)).toMatchObject({ replaces: null, shownAt: null })
    await expect(finish(second.endpointUuid)).rejects.toThrow('This endpoint replaces no other.')
  })

  it('starts once only, is refused for an endpoint here, and is cancelled by deleting the second endpoint', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const second = await replace(old)
    await expect(replace(old)).rejects.toThrow('This endpoint is being replaced already.')
    await deleteEndpoint(admin, { endpointUuid: second.endpointUuid, reason }, browser)
    expect(await findEndpoint(admin, old)).toMatchObject({ replacedBy: null, repair: null })
    await replace(old)
    const { endpointUuid: ours } = await createHere()
    await expect(replace(ours)).rejects.toThrow('This endpoint delivers to this dashboard.')
  })

  it('deletes nothing while nobody has seen the new secret', async () => {
    const { endpointUuid: old } = await createElsewhere()
    service.loseAnswer(posting)
    await expect(replace(old)).rejects.toThrow(Refused)
    await reconcile(await listAtService(connection()), new Date())
    const { uuid = '' } = (await listEndpoints(admin)).find(({ replaces }) => replaces === old) ?? {}
    expect(await repairOf(uuid)).toBe('not-seen')
    await expect(finish(uuid)).rejects.toThrow('Nobody has seen the secret of this endpoint.')
    await rotateSecret(admin, { endpointUuid: uuid, reason }, browser)
    await finish(uuid)
    expect(await findEndpoint(admin, old)).toBeNull()
  })
})

describe('disabling, enabling and deleting', () => {
  it('disables and enables, with a reason kept', async () => {
    const { endpointUuid } = await createHere()
    await setStatus(admin, { endpointUuid, status: 'disabled', reason }, browser)
    expect((await listEndpoints(admin, { status: 'disabled' })).map(({ uuid }) => uuid)).toContain(
      endpointUuid,
    )
    expect((await listEndpoints(admin, { status: 'active' })).map(({ uuid }) => uuid)).not.toContain(
      endpointUuid,
    )
    await setStatus(admin, { endpointUuid, status: 'active', reason }, browser)
    expect((await findEndpoint(admin, endpointUuid))?.status).toBe('active')
    expect((await audited(endpointUuid)).map((entry) => entry.reason)).toEqual([reason, reason])
  })

  it('deletes, and closes the receiver', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await deleteEndpoint(admin, { endpointUuid, reason }, browser)
    expect(await findEndpoint(admin, endpointUuid)).toBeNull()
    expect(await stateOf(receiverId)).toBe('closed')
  })

  it('deletes even when the first answer is lost', async () => {
    const { endpointUuid, receiverId } = await createHere()
    service.loseAnswer(deleting)
    await deleteEndpoint(admin, { endpointUuid, reason }, browser)
    expect(await findEndpoint(admin, endpointUuid)).toBeNull()
    expect(await stateOf(receiverId)).toBe('closed')
  })
})

describe('the audit', () => {
  /** The database refuses entries of this outcome while `work` runs. */
  async function refusing(outcome: string, work: () => Promise<void>) {
    await prisma().$executeRawUnsafe(
      `ALTER TABLE audit ADD CONSTRAINT refusing CHECK (outcome <> '${outcome}') NOT VALID`,
    )
    await work().finally(() => prisma().$executeRawUnsafe('ALTER TABLE audit DROP CONSTRAINT refusing'))
  }

  it('is written before the service is asked: without it, nothing is done', async () => {
    const { endpointUuid } = await createElsewhere()
    const before = service.seen.length
    await refusing('begun', async () => {
      await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow()
    })
    expect(service.seen.length).toBe(before)
  })

  it('a failure to write the outcome loses no secret, and the audit still says what was begun', async () => {
    const { endpointUuid } = await createElsewhere()
    const logged = captureLog()
    await refusing('done', async () => {
      const { signingSecret } = await rotateSecret(admin, { endpointUuid, reason }, browser)
      expect(signingSecret).toBe((await atService({ uuid: endpointUuid }))?.signing_secret)
      expect(logged.text()).not.toContain(signingSecret)
    })
    expect(logged.lines).toMatchObject([
      { level: 'error', action: 'endpoint.rotate-secret', outcome: 'done' },
    ])
    logged.stop()
    expect(await prisma().audit.findMany({ where: { target: endpointUuid } })).toMatchObject([
      { action: 'endpoint.rotate-secret', outcome: 'begun', reason },
    ])
  })
})

describe('repairing', () => {
  it('is offered when deliveries carry another secret than the known one', async () => {
    const { endpointUuid, receiverId } = await createHere()
    const refusal = { receiverId, minute: new Date(), why: 'wrong-secret', count: 1, lastAt: new Date() }
    await prisma().refusal.create({ data: refusal })
    expect(await repairOf(endpointUuid)).toBeNull()
    const rotatedAt = new Date(Date.now() - 120_000)
    await prisma().receiver.update({ where: { id: receiverId }, data: { updatedAt: rotatedAt } })
    expect(await repairOf(endpointUuid)).toBe('wrong-secret')
    await repairEndpoint(admin, { endpointUuid, reason }, browser)
    expect(await repairOf(endpointUuid)).toBeNull()
    expect(await letsIn(receiverId, endpointUuid)).toBe(true)
  })

  it('gives a second endpoint at the same address an address of its own', async () => {
    const { endpointUuid, receiverId } = await createHere()
    const twin = await fetch(`${service.baseUrl}/merchant/webhook-endpoints`, {
      method: 'POST',
      headers: { authorization: service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiverUrl(receiverId), description: 'Twin' }),
    })
    const { uuid } = z.object({ uuid: z.string() }).parse(await twin.json())
    expect(await repairOf(uuid)).toBe('no-secret')
    await repairEndpoint(admin, { endpointUuid: uuid, reason }, browser)
    const receiver = (await findEndpoint(admin, uuid))?.receiver?.id ?? ''
    expect(receiver).not.toBe(receiverId)
    expect(await letsIn(receiver, uuid)).toBe(true)
    expect(await letsIn(receiverId, endpointUuid)).toBe(true)
  })

  it('re-points an address from before the public one changed, and keeps its secret', async () => {
    const { endpointUuid, receiverId } = await createHere()
    const held = await atService({ uuid: endpointUuid })
    await fetch(`${service.baseUrl}/merchant/webhook-endpoints/${endpointUuid}`, {
      method: 'PATCH',
      headers: { authorization: service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `https://old.example/api/webhooks/${receiverId}` }),
    })
    expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ ours: false, repair: 'other-address' })
    await repairEndpoint(admin, { endpointUuid, reason }, browser)
    const now = await atService({ uuid: endpointUuid })
    expect(now).toMatchObject({ url: receiverUrl(receiverId), signing_secret: held?.signing_secret })
  })

  it('does not repair an endpoint that never was ours', async () => {
    const { endpointUuid } = await createElsewhere(
      `https://other.example/api/webhooks/${crypto.randomUUID()}`,
    )
    await expect(repairEndpoint(admin, { endpointUuid, reason }, browser)).rejects.toThrow(
      'This endpoint delivers elsewhere.',
    )
  })
})

describe('who may', () => {
  it.each(['support', 'auditor', 'end-user'] as const)('%s changes nothing', async (role) => {
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
    expect(await letsIn(receiverId, endpointUuid)).toBe(true)
    expect(await stateOf(prepared)).toBeUndefined()
  })

  it('an end user does not even see them', async () => {
    await expect(listEndpoints(callerWith('end-user'))).rejects.toThrow(NotAllowed)
    await expect(findEndpoint(callerWith('end-user'), crypto.randomUUID())).rejects.toThrow(NotAllowed)
    await expect(listEndpoints(callerWith('support'))).resolves.toBeInstanceOf(Array)
  })
})

describe('the forms', () => {
  const faults = (form: z.ZodType, input: object) =>
    form.safeParse(input).error?.issues.map(({ path }) => path.join('.')) ?? []
  const there = { to: 'elsewhere', description: 'There', url: 'https://merchant.example/hook', reason }

  it('refuse what the service would refuse', () => {
    expect(faults(CreateEndpointSchema, there)).toEqual([])
    expect(faults(CreateEndpointSchema, { ...there, description: 'x'.repeat(256) })).toEqual(['description'])
    expect(faults(CreateEndpointSchema, { ...there, description: ' ' })).toEqual(['description'])
    expect(faults(CreateEndpointSchema, { ...there, url: 'http://merchant.example/hook' })).toEqual(['url'])
    expect(faults(CreateEndpointSchema, { ...there, url: 'merchant' })[0]).toBe('url')
    expect(faults(CreateEndpointSchema, { ...there, url: receiverUrl(crypto.randomUUID()) })).toEqual(['url'])
    expect(faults(CreateEndpointSchema, { ...there, subscribedEvents: 'someUnblockBankAccount' })[0]).toMatch(
      /^subscribedEvents/,
    )
    expect(faults(CreateEndpointSchema, { ...there, to: 'nowhere' })).toEqual(['to'])
    expect(
      faults(CreateEndpointSchema, { to: 'here', description: 'Here', receiverId: 'x', reason }),
    ).toEqual(['receiverId'])
    expect(faults(ChangeEndpointSchema, { to: 'same', endpointUuid: crypto.randomUUID() })).toEqual([
      'reason',
    ])
  })

  it('recognise a url of this dashboard by origin and path', () => {
    const id = crypto.randomUUID()
    expect(receiverIdOf(receiverUrl(id))).toBe(id)
    expect(receiverIdOf(`https://localhost:3000/api/webhooks/${id}`)).toBeNull()
    expect(receiverIdOf(`${receiverUrl(id)}/more`)).toBeNull()
    expect(receiverIdOf('http://localhost:3000/api/webhooks/')).toBeNull()
    expect(receiverIdOf('nonsense')).toBeNull()
  })
})
