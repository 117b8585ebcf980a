import assert from 'node:assert/strict'
import { z } from 'zod'
import {
  type AllEvents,
  type Check,
  type CheckContext,
  inOperations,
  overHttp,
} from '../kit/check-context.ts'
import { eventTypes } from '../kit/contract.ts'
import { assertSuccess, type Envelope } from '../kit/shapes.ts'

const played = ['control', 'receiver'] as const

/** §2.4 and §6 define these rules. */
export const eventChecks: Check[] = [
  overHttp('2.4-type', played, async ({ allEvents }) => {
    const types = new Set((await allEvents()).envelopes.map(({ type }) => type))
    assert.deepEqual([...types].sort(), eventTypes.toSorted(), 'the types that are sent')
  }),

  overHttp('2.4-sub-type', played, async ({ allEvents }) => {
    for (const { subType } of (await allEvents()).envelopes) assert.notEqual(subType, '', 'subType')
  }),

  overHttp('2.4-uuid', played, async ({ allEvents }) => {
    const { envelopes, person } = await allEvents()
    for (const { uuid } of envelopes) assert.ok(z.guid().safeParse(uuid).success, `uuid: ${uuid}`)
    const others = new Set(envelopes.map(({ uuid }) => uuid).filter((uuid) => uuid !== person.uuid))
    assert.ok(others.size <= 1, `beside the user, one company: ${[...others]}`)
  }),

  overHttp('2.4-data', played, async ({ allEvents }) => {
    for (const { data } of (await allEvents()).envelopes) assert.equal(typeof data, 'object', 'data')
  }),

  inOperations('6-post', played, async ({ createEndpoint, startReceiver, sendEvent }) => {
    const receiver = await startReceiver()
    await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
    const { method, path } = await receiver.receive(await sendEvent())
    assert.deepEqual([method, path], ['POST', '/hook'], 'method and path')
  }),

  inOperations('6-active-only', ['clock', 'receiver'], async (world) => {
    const { createEndpoint, startReceiver, sendEvent, service, control } = world
    const receiver = await startReceiver(() => 500)
    const { uuid } = await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
    const queued = await sendEvent()
    await receiver.receive(queued)
    assertSuccess(await service.updateEndpoint(uuid, { status: 'disabled' }), 'disabling it')
    const late = await sendEvent()
    await control.advance(86_400)
    assert.equal(receiver.about(queued.uuid).length, 1, 'attempts of what was queued')
    assert.equal(receiver.about(late.uuid).length, 0, 'attempts of what came later')
    assertSuccess(await service.updateEndpoint(uuid, { status: 'active' }), 'making it active again')
    await receiver.receive(await sendEvent())
  }),

  inOperations('6-filter', played, async (world) => {
    const { createEndpoint, startReceiver, sendEvent, service, control } = world
    const receiver = await startReceiver()
    const listed = await createEndpoint({ url: `${receiver.url}?listed`, subscribed_events: ['AML', 'KYB'] })
    const unlisted = await createEndpoint({ url: `${receiver.url}?unlisted`, subscribed_events: ['KYB'] })
    const aml = await sendEvent({ type: 'AML' })
    const kyb = await sendEvent({ type: 'KYB' })
    assert.equal((await receiver.receive(aml)).path, '/hook?listed', 'where an AML event came')
    await receiver.collect(({ uuid }) => uuid === kyb.uuid, 2)
    for (const { uuid } of [listed, unlisted])
      for (const { envelope } of await control.deliveries(uuid))
        assert.ok(uuid === listed.uuid || envelope.type !== 'AML', 'only what is on the list is queued')

    assertSuccess(await service.updateEndpoint(unlisted.uuid, { subscribed_events: ['AML'] }), 'another list')
    const later = [await sendEvent({ type: 'AML' }), await sendEvent({ type: 'KYB' })]
    const uuids = later.map(({ uuid }) => uuid)
    await receiver.collect(({ uuid }) => uuids.includes(uuid), 3)
    const queued = (await control.deliveries(unlisted.uuid)).map(({ envelope }) => envelope.uuid)
    assert.deepEqual(
      uuids.map((uuid) => queued.includes(uuid)),
      [true, false],
      'what is queued by the changed list',
    )
  }),

  inOperations('6-envelope', played, async ({ createEndpoint, startReceiver, sendEvent }) => {
    const receiver = await startReceiver()
    await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
    const sent = await sendEvent({ data: { amount: 1.5, text: 'ä€😀', list: [1, null, { deep: true }] } })
    assert.deepEqual((await receiver.receive(sent)).envelope, sent, 'the envelope')
  }),

  overHttp('6-amounts', played, async ({ allEvents }) => {
    const amounts = /^(amount|fees$|limit$)/
    await eachField(allEvents, (name, value) => {
      if (amounts.test(name)) assert.equal(typeof value, 'number', name)
    })
  }),

  overHttp('6-identifiers', played, async ({ allEvents }) => {
    await eachField(allEvents, (name, value) => {
      if (/uuid$|Id$|Hash$|Address$/i.test(name)) assert.equal(typeof value, 'string', name)
    })
  }),
]

async function eachField(gallery: CheckContext['allEvents'], check: (name: string, value: unknown) => void) {
  for (const type of ['fiatToCrypto', 'cryptoToFiat'])
    for (const { data } of (await gallery()).of(type))
      for (const [name, value] of Object.entries(data)) check(name, value)
}

/** Every sent field must be in `shape` with its type, and every field of `shape` must be sent somewhere. */
export function assertFields(bodies: unknown[], shape: z.ZodObject) {
  const strict = z.strictObject(shape.shape).partial()
  const seen = bodies.flatMap((body) => {
    const issue = strict.safeParse(body).error?.issues[0]
    assert.equal(issue && `${issue.path.join('.')}: ${issue.message}`, undefined, 'a field')
    return Object.keys(z.record(z.string(), z.unknown()).parse(body))
  })
  assert.deepEqual([...new Set(seen)].sort(), Object.keys(shape.shape).sort(), 'the fields sent')
}

/** The function answers the events of a type and subType, and throws when there are none. */
export function requireEvents(gallery: AllEvents, type: string, subType?: string): Envelope[] {
  const events = gallery.of(type, subType)
  assert.ok(events.length > 0, `${type} ${subType ?? ''} is sent`)
  return events
}
