import assert from 'node:assert/strict'
import { type Check, type CheckContext, inOperations, overHttp } from '../kit/check-context.ts'
import type { EndpointChangeInput } from '../kit/operations.ts'
import {
  assertRefused,
  assertSuccess,
  bodyOf,
  CreatedEndpointSchema,
  EndpointSchema,
  EndpointsSchema,
  RotatedSecretSchema,
} from '../kit/shapes.ts'

const collection = '/merchant/webhook-endpoints'
const url = 'https://receiver.example/hook'

/** §4.2 defines these rules. */
export const endpointOperationChecks: Check[] = [
  inOperations('4.2-create-request', [], async ({ createEndpoint, service }) => {
    const given = { url, description: 'Ledger', subscribed_events: ['KYC', 'KYB'] }
    const { uuid } = await createEndpoint(given)
    const read = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
    assert.deepEqual(read, { ...read, ...given }, 'the endpoint as it was given')
  }),

  overHttp('4.2-create-answer', [], async ({ call, service }) => {
    const answer = await call('POST', collection, { url, description: 'Conformance' })
    const created = bodyOf(CreatedEndpointSchema, answer, 'create')
    await service.deleteEndpoint(created.uuid)
    assert.deepEqual([created.status, created.url], ['active', url], 'status and url')
  }),

  inOperations('4.2-list', [], async ({ createEndpoint, service }) => {
    const wanted = [
      { url, description: 'Filtered', subscribed_events: ['AML', 'KYB'] },
      { url: 'https://other.example/hook', description: 'Unfiltered' },
    ]
    for (const given of wanted) {
      const { uuid } = await createEndpoint(given)
      const listed = bodyOf(EndpointsSchema, await service.listEndpoints(), 'list')
      const [found] = listed.filter((endpoint) => endpoint.uuid === uuid)
      assert.deepEqual(found, { ...found, ...given, uuid, status: 'active' }, 'the endpoint on the list')
    }
  }),

  inOperations('4.2-list-status', [], async ({ createEndpoint, service }) => {
    const [active, disabled] = [await createEndpoint(), await createEndpoint()]
    assertSuccess(await service.updateEndpoint(disabled.uuid, { status: 'disabled' }), 'disabling one')
    for (const status of ['active', 'disabled', 'auto_disabled'] as const) {
      const listed = bodyOf(EndpointsSchema, await service.listEndpoints(status), status)
      assert.ok(
        listed.every((endpoint) => endpoint.status === status),
        `only those that are ${status}`,
      )
      const has = ({ uuid }: { uuid: string }) => listed.some((endpoint) => endpoint.uuid === uuid)
      assert.deepEqual([has(active), has(disabled)], [status === 'active', status === 'disabled'], status)
    }
  }),

  inOperations('4.2-get-one', [], async ({ createEndpoint, service }) => {
    await createEndpoint()
    const { uuid } = await createEndpoint({ description: 'This one' })
    const read = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'get')
    assert.deepEqual([read.uuid, read.description], [uuid, 'This one'], 'the one asked for')
  }),

  inOperations('4.2-update-url', [], (world) => changesOnly(world, { url: 'https://other.example/hook' })),

  inOperations('4.2-update-status', [], (world) => changesOnly(world, { status: 'disabled' })),

  inOperations('4.2-update-subscribed-events', [], (world) =>
    changesOnly(world, { subscribed_events: ['AML', 'duplicateUser'] }),
  ),

  overHttp('4.2-update-no-description', [], async ({ createEndpoint, call, service }) => {
    const { uuid } = await createEndpoint({ description: 'As created' })
    await call('PATCH', `${collection}/${uuid}`, { description: 'Another' })
    const read = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
    assert.equal(read.description, 'As created', 'the description')
  }),

  overHttp('4.2-update-answer', [], async ({ createEndpoint, call }) => {
    const given = { url, description: 'As created', subscribed_events: ['KYC'] }
    const { uuid } = await createEndpoint(given)
    let wanted = { ...given, uuid, status: 'active' }
    for (const change of [
      { status: 'disabled' },
      { url: 'https://other.example/hook' },
      { subscribed_events: ['AML', 'duplicateUser'] },
      { status: 'active' },
    ]) {
      wanted = { ...wanted, ...change }
      const answer = await call('PATCH', `${collection}/${uuid}`, change)
      const updated = bodyOf(EndpointSchema, answer, 'update')
      assert.deepEqual(
        updated,
        { ...updated, ...wanted },
        `the endpoint in the answer to ${Object.keys(change)}`,
      )
    }
  }),

  overHttp('4.2-rotate', [], async ({ createEndpoint, call }) => {
    const { uuid, signing_secret: first } = await createEndpoint()
    const rotated = bodyOf(
      RotatedSecretSchema,
      await call('PATCH', `${collection}/${uuid}/secret`),
      'without a body',
    )
    assert.notEqual(rotated.signing_secret, first, 'the secret')
  }),

  inOperations('4.2-rotate-ends-previous', ['clock', 'receiver'], async (world) => {
    const { createEndpoint, startReceiver, sendEvent, service, control } = world
    const receiver = await startReceiver(() => 500)
    const created = await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
    const event = await sendEvent()
    await receiver.receive(event)
    const rotated = bodyOf(RotatedSecretSchema, await service.rotateSecret(created.uuid), 'rotating')
    await control.advance(10)
    const carried = receiver.about(event.uuid).map(({ headers }) => headers.authorization)
    assert.equal(carried.at(-1), `API-Key ${rotated.signing_secret}`, 'what a retry carries after it')
    assert.notEqual(carried.at(-1), `API-Key ${created.signing_secret}`, 'what a retry carries after it')
  }),

  inOperations('4.2-delete', [], async ({ createEndpoint, service }) => {
    const [gone, stays] = [await createEndpoint(), await createEndpoint()]
    assertSuccess(await service.deleteEndpoint(gone.uuid), 'delete')
    assertRefused(await service.readEndpoint(gone.uuid), 'get')
    assertRefused(await service.rotateSecret(gone.uuid), 'rotate')
    assertRefused(await service.updateEndpoint(gone.uuid, { status: 'active' }), 'update')
    assertRefused(await service.deleteEndpoint(gone.uuid), 'delete once more')
    const uuids = bodyOf(EndpointsSchema, await service.listEndpoints(), 'list').map(({ uuid }) => uuid)
    assert.deepEqual(
      [gone, stays].map(({ uuid }) => uuids.includes(uuid)),
      [false, true],
      'on the list',
    )
  }),

  inOperations('4.2-bodies-not-shown', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint()
    assertSuccess(await service.readEndpoint(uuid), 'get')
    assertSuccess(await service.listEndpoints(), 'list')
    assertSuccess(await service.updateEndpoint(uuid, { status: 'disabled' }), 'update')
    assertSuccess(await service.deleteEndpoint(uuid), 'delete')
  }),
]

async function changesOnly({ createEndpoint, service }: CheckContext, change: EndpointChangeInput) {
  const { uuid } = await createEndpoint({ subscribed_events: ['KYC'] })
  const read = async () => bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
  const before = await read()
  assertSuccess(await service.updateEndpoint(uuid, change), 'update')
  const { url, description, status, subscribed_events } = { ...before, ...change }
  const after = await read()
  assert.deepEqual(after, { ...after, url, description, status, subscribed_events }, 'what was read after it')
}
