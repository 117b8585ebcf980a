import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { seenOfEndpoint } from '#lib/deliveries/rules/endpoint-states.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { placeOfUrl, receiverIdOf, receiverUrl } from '#lib/platform/addresses/public-address.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
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
  later,
  letsIn,
  patching,
  posting,
  reason,
  repairOf,
  rotating,
  stateOf,
} from '../../test/endpoints.ts'
import { startService, type TestService } from '../../test/service.ts'
import { ChangeEndpointSchema, changedEvents, changeEndpoint, setStatus } from './change-endpoint.ts'
import { CreateEndpointSchema } from './create-endpoint.ts'
import { UrlElsewhereSchema } from './endpoint-command.ts'
import { findEndpoint, listEndpoints } from './endpoints.ts'
import { newReceiverAddress, repairEndpoint } from './repair-endpoint.ts'
import { deleteEndpoint } from './replace-endpoint.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('creating', () => {
  it('an endpoint that delivers here keeps a digest of its secret and shows none', async () => {
    const made = await createHere()
    expect(made).toMatchObject({ url: receiverUrl(made.receiverId), signingSecret: null })
    expect(await letsIn(service, made.receiverId, made.endpointUuid)).toBe(true)
    expect(await findEndpoint(admin, made.endpointUuid)).toMatchObject({
      ours: true,
      status: 'active',
      repair: null,
      receiver: { id: made.receiverId, state: 'active', refused: 0 },
    })
    expect((await audited('this dashboard')).slice(-1)).toMatchObject([
      { action: 'endpoint.create', outcome: 'done', reason, actor: admin.id },
    ])
  })

  it('an endpoint elsewhere shows its secret once and keeps nothing of it', async () => {
    const { endpointUuid, signingSecret } = await createElsewhere()
    expect(signingSecret).toBe((await atService(service, { uuid: endpointUuid }))?.signing_secret)
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
    const both = await Promise.allSettled([createHere({ receiverId }), createHere({ receiverId })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(createHere({ receiverId })).rejects.toThrow('This form was sent before.')
    const list = await listEndpoints(admin)
    expect(list.filter(({ url }) => url === receiverUrl(receiverId))).toHaveLength(1)
  })

  it('when the answer is lost, the endpoint is listed without a secret and repaired by one click', async () => {
    const { receiverId } = newReceiverAddress()
    service.loseAnswer(posting)
    await expect(createHere({ receiverId })).rejects.toThrow(
      'The endpoint may have been created all the same.',
    )
    expect(await stateOf(receiverId)).toBe('pending')
    const { uuid = '' } = (await atService(service, { url: receiverUrl(receiverId) })) ?? {}
    expect(await repairOf(uuid)).toBeNull()
    await later()
    expect(await repairOf(uuid)).toBe('no-secret')
    await repairEndpoint(admin, { endpointUuid: uuid, reason }, browser)
    expect(await letsIn(service, receiverId, uuid)).toBe(true)
    expect(await repairOf(uuid)).toBeNull()
  })

  it('when the service surely refused, nothing is left behind', async () => {
    const { receiverId } = newReceiverAddress()
    for (const status of [400, 429]) {
      service.answerWith(status, posting)
      await expect(createHere({ receiverId })).rejects.toThrow(Refused)
      expect(await stateOf(receiverId)).toBeUndefined()
      expect((await audited('this dashboard')).at(-1)?.outcome).toBe('failed')
      expect(await prisma().receiverPeriod.count({ where: { receiverId } })).toBe(0)
    }
    // The form keeps its address, so the admin can send it again.
    const { endpointUuid } = await createHere({ receiverId })
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
    expect(await prisma().receiverPeriod.count({ where: { receiverId } })).toBe(1)
    await expect(createHere({ receiverId })).rejects.toThrow('This form was sent before.')
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
    expect((await atService(service, { uuid: endpointUuid }))?.signing_secret).not.toBe(signingSecret)
    expect(await letsIn(service, first, endpointUuid)).toBe(true)

    const away = await change(endpointUuid, { to: 'elsewhere', url: elsewhere(), ...events })
    expect(away).toEqual({ endpointUuid, secretUnknown: true })
    expect(await stateOf(first)).toBe('closed')
    expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ ours: false, repair: 'not-seen' })

    await change(endpointUuid, { to: 'here', ...events })
    const back = (await findEndpoint(admin, endpointUuid))?.receiver?.id ?? ''
    expect(back).not.toBe(first)
    expect(await letsIn(service, back, endpointUuid)).toBe(true)
  })

  /** The endpoint points at a receiver of ours by an earlier public address. */
  async function createAtEarlierAddress() {
    const made = await createHere({ subscribedEvents: ['KYC'] })
    const url = `https://old.example/api/webhooks/${made.receiverId}`
    await updateWebhookEndpoint(serviceClient(), made.endpointUuid, { url })
    return made
  }

  it('from an earlier address to elsewhere says that the new place needs a secret, and closes the receiver', async () => {
    const { endpointUuid, receiverId } = await createAtEarlierAddress()
    const away = await change(endpointUuid, { to: 'elsewhere', url: elsewhere(), subscribedEvents: ['KYC'] })
    expect(away).toEqual({ endpointUuid, secretUnknown: true })
    expect(await stateOf(receiverId)).toBe('closed')
    expect(await repairOf(endpointUuid)).toBe('not-seen')
  })

  it('from an earlier address to the present one closes the receiver with the earlier secret', async () => {
    const { endpointUuid, receiverId } = await createAtEarlierAddress()
    service.loseAnswer(rotating)
    await expect(change(endpointUuid, { to: 'here', subscribedEvents: ['KYC'] })).rejects.toThrow(Refused)
    expect(await stateOf(receiverId)).toBe('active')
    await repairEndpoint(admin, { endpointUuid, reason }, browser)
    const moved = await findEndpoint(admin, endpointUuid)
    expect(await letsIn(service, moved?.receiver?.id ?? '', endpointUuid)).toBe(true)
    expect(await stateOf(receiverId)).toBe('closed')
  })

  it('types that the service added later stay, since no form names them', () => {
    const present = { subscribedEvents: ['KYC', 'laterType'] }
    expect(changedEvents(['KYC'], present)).toBeUndefined()
    expect(changedEvents(['KYC', 'KYB'], present)).toEqual(['KYC', 'KYB', 'laterType'])
    expect(changedEvents(null, { subscribedEvents: ['laterType'] })).toBeUndefined()
    expect(() => changedEvents(null, { subscribedEvents: ['KYC'] })).toThrow(InvalidInput)
  })

  it('changes nothing when somebody else changed the endpoint after the form was shown', async () => {
    const { endpointUuid } = await createElsewhere({ subscribedEvents: ['KYC', 'KYB'] })
    const shown = async () => {
      const endpoint = await findEndpoint(admin, endpointUuid)
      return endpoint && { endpoint, seen: seenOfEndpoint(endpoint) }
    }
    const before = await shown()
    const form = (subscribedEvents: string[]) => ({ to: 'same', seen: before?.seen, subscribedEvents })
    await change(endpointUuid, form(['KYC']))
    await expect(change(endpointUuid, form(['KYC', 'KYB', 'AML']))).rejects.toThrow(Refused)
    expect((await shown())?.endpoint.subscribedEvents).toEqual(['KYC'])
    expect((await audited(endpointUuid)).at(-1)?.outcome).toBe('refused')
    await change(endpointUuid, { ...form(['AML']), seen: (await shown())?.seen })
    expect((await shown())?.endpoint.subscribedEvents).toEqual(['AML'])
  })

  it('keeps no secret of an address in the audit, in notices, or for roles that may not know it', async () => {
    const withSecret = `https://hooks.example.com/T0P/${crypto.randomUUID()}?token=T0P2#T0P3`
    const { endpointUuid } = await createElsewhere({ url: withSecret, subscribedEvents: ['KYC'] })
    await change(endpointUuid, { to: 'elsewhere', url: `${withSecret}4`, subscribedEvents: ['KYC'] })
    const kept = await prisma().$queryRaw<{ text: string }[]>`
      SELECT audit::text AS text FROM audit UNION ALL SELECT admin_notice::text FROM admin_notice`
    expect(kept.map(({ text }) => text).join('\n')).toContain('https://hooks.example.com/…')
    expect(kept.map(({ text }) => text).join('\n')).not.toContain('T0P')
    for (const role of ['support', 'auditor'] as const)
      expect((await findEndpoint(callerWith(role), endpointUuid))?.url).toBe('https://hooks.example.com/…?…')
    expect((await findEndpoint(admin, endpointUuid))?.url).toBe(`${withSecret}4`)
    for (const url of ['https://u:S3cr3t@hooks.example.com/x', 'https://u@hooks.example.com/x'])
      expect(UrlElsewhereSchema.safeParse(url).error?.issues[0]?.message).toBe(
        'The address must not contain a user or a password.',
      )
  })

  it('the audit keeps the earlier place and types, without anything that lets deliveries in here', async () => {
    const [first, second] = [elsewhere(), elsewhere()]
    const { endpointUuid } = await createElsewhere({ url: first, subscribedEvents: ['KYC'] })
    const changes = async () =>
      (await audited(endpointUuid))
        .filter(({ action }) => action === 'endpoint.change')
        .map(({ details }) => details)
    await change(endpointUuid, { to: 'elsewhere', url: second, subscribedEvents: ['KYC'] })
    await change(endpointUuid, { to: 'here', subscribedEvents: ['KYB'] })
    await change(endpointUuid, { to: 'elsewhere', url: first, subscribedEvents: ['KYB'] })
    service.answerWith(400, patching)
    await expect(
      change(endpointUuid, { to: 'elsewhere', url: second, subscribedEvents: ['KYB'] }),
    ).rejects.toThrow(Refused)
    const masked = 'https://merchant.example/…'
    expect(await changes()).toMatchObject([
      { before: { deliversTo: masked }, after: { deliversTo: masked } },
      {
        before: { deliversTo: masked, subscribedEvents: ['KYC'] },
        after: { deliversTo: 'this dashboard', subscribedEvents: ['KYB'] },
      },
      { before: { deliversTo: 'this dashboard' }, after: { deliversTo: masked } },
      { to: masked },
    ])
    expect((await changes())[3]).not.toHaveProperty('before')
    expect(placeOfUrl(`https://before.example/api/webhooks/${crypto.randomUUID()}`)).toBe(
      'https://before.example/api/webhooks/…',
    )
  })

  it('a url that becomes ours is repaired by one click when either answer is lost', async () => {
    for (const lost of [patching, rotating]) {
      const { endpointUuid } = await createElsewhere()
      service.loseAnswer(lost)
      await expect(change(endpointUuid, { to: 'here', subscribedEvents: 'KYC' })).rejects.toThrow(Refused)
      await later()
      const { receiver, repair } = (await findEndpoint(admin, endpointUuid)) ?? {}
      expect(repair).toBe('no-secret')
      await repairEndpoint(admin, { endpointUuid, reason }, browser)
      expect(await letsIn(service, receiver?.id ?? '', endpointUuid)).toBe(true)
    }
  })

  it.each([400, 403, 404, 429])(
    'a url that becomes ours is told to all when %i refuses its secret',
    async (status) => {
      const { endpointUuid } = await createElsewhere()
      service.answerWith(status, rotating)
      await expect(change(endpointUuid, { to: 'here', subscribedEvents: 'KYC' })).rejects.toThrow(
        status === 404
          ? 'This endpoint no longer exists.'
          : 'It points here now; its secret is still missing.',
      )
      expect((await audited(endpointUuid)).at(-1)).toMatchObject({
        outcome: 'unsure',
        details: { after: { deliversTo: 'this dashboard' }, error: expect.any(String) },
      })
      expect(
        await prisma().adminNotice.findMany({ where: { about: endpointUuid, kind: 'endpoint-changed' } }),
      ).toMatchObject([{ facts: { outcome: 'unsure' } }])
      await later()
      expect(await repairOf(endpointUuid)).toBe('no-secret')
      await repairEndpoint(admin, { endpointUuid, reason }, browser)
      expect(await repairOf(endpointUuid)).toBeNull()
    },
  )

  it('changes the subscribed events, never to none, and sends nothing when nothing changed', async () => {
    const { endpointUuid } = await createElsewhere()
    await change(endpointUuid, { to: 'same', subscribedEvents: ['KYC', 'KYB'] })
    expect((await findEndpoint(admin, endpointUuid))?.subscribedEvents).toEqual(['KYC', 'KYB'])
    await expect(change(endpointUuid, { to: 'same' })).rejects.toThrow(InvalidInput)
    const before = service.seen.filter(patching).length
    const { url } = (await findEndpoint(admin, endpointUuid)) ?? {}
    for (const place of [{ to: 'same' }, { to: 'elsewhere', url }])
      await expect(change(endpointUuid, { ...place, subscribedEvents: ['KYB', 'KYC'] })).rejects.toThrow(
        'Nothing to change.',
      )
    expect(service.seen.filter(patching).length).toBe(before)
    expect((await audited(endpointUuid)).at(-1)?.outcome).toBe('refused')
    const { endpointUuid: here } = await createHere()
    await expect(change(here, { to: 'here', subscribedEvents: eventTypes })).rejects.toThrow(
      'Nothing to change.',
    )
    const reported = await prisma().adminNotice.count({
      where: { about: { in: [endpointUuid, here] }, kind: 'endpoint-changed' },
    })
    expect(reported).toBe(1)
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
    const [active, disabled] = [{ status: 'active' }, { status: 'disabled' }]
    expect(await audited(endpointUuid)).toMatchObject([
      { reason, details: { before: active, after: disabled } },
      { reason, details: { before: disabled, after: active } },
    ])
  })

  it('deletes, and closes the receiver', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await deleteEndpoint(admin, { endpointUuid, reason }, browser)
    expect(await findEndpoint(admin, endpointUuid)).toBeNull()
    expect(await stateOf(receiverId)).toBe('closed')
  })

  it.each([401, 403, 429])('leaves the receiver as it was when %i refuses the deletion', async (status) => {
    const { endpointUuid, receiverId } = await createHere()
    const remove = () => deleteEndpoint(admin, { endpointUuid, reason }, browser)
    service.answerWith(status, deleting)
    await expect(remove()).rejects.toThrow('The endpoint was not deleted.')
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
    expect(await repairOf(endpointUuid)).toBeNull()
    // The endpoint may be gone after this failure, and a refusal of the next try does not show that it is there.
    service.answerWith(500, deleting, 2)
    await expect(remove()).rejects.toThrow('may have been deleted')
    service.answerWith(status, deleting)
    await expect(remove()).rejects.toThrow('The endpoint was not deleted.')
    expect(await stateOf(receiverId)).toBe('deleting')
    await remove()
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
