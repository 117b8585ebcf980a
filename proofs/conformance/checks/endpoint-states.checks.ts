import assert from 'node:assert/strict'
import { type Check, type CheckContext, inOperations, overHttp } from '../kit/check-context.ts'
import { assertRefused, assertSuccess, bodyOf, EndpointSchema, EndpointsSchema } from '../kit/shapes.ts'

const states = ['active', 'disabled', 'auto_disabled'] as const

/** §3.1 defines these rules. */
export const endpointStateChecks: Check[] = [
  overHttp('3.1-states', [], async ({ call }) => {
    const list = (status: string) => call('GET', `/merchant/webhook-endpoints?status=${status}`)
    for (const status of states) assertSuccess(await list(status), `the list of those ${status}`)
    assertRefused(await list('asleep'), 'the list of those in a fourth state')
  }),

  inOperations('3.1-any-to-active', [], async (world) => {
    const { uuid } = await world.createEndpoint()
    for (const status of ['active', 'disabled', 'active'] as const) await setStatus(world, uuid, status)
  }),

  inOperations('3.1-any-to-disabled', [], async (world) => {
    const { uuid } = await world.createEndpoint()
    for (const status of ['disabled', 'disabled'] as const) await setStatus(world, uuid, status)
  }),

  inOperations('3.1-any-removed', [], async (world) => {
    const { createEndpoint, service } = world
    const [active, disabled] = [await createEndpoint(), await createEndpoint()]
    await setStatus(world, disabled.uuid, 'disabled')
    for (const { uuid } of [active, disabled]) {
      assertSuccess(await service.deleteEndpoint(uuid), 'removing')
      assertRefused(await service.readEndpoint(uuid), 'reading what was removed')
    }
  }),

  inOperations('3.1-removed-receives-nothing', ['clock', 'receiver'], async (world) => {
    const { service, control, createEndpoint, startReceiver, sendEvent } = world
    const receiver = await startReceiver(() => 500)
    const { uuid } = await createEndpoint({ url: receiver.url })
    const queued = await sendEvent()
    await receiver.receive(queued)
    assertSuccess(await service.deleteEndpoint(uuid), 'removing')
    const late = await sendEvent()
    await control.advance(86_400)
    assert.equal(receiver.about(queued.uuid).length, 1, 'attempts of what was queued')
    assert.equal(receiver.about(late.uuid).length, 0, 'attempts of what came later')
  }),

  overHttp('3.1-only-active-or-disabled', [], async ({ createEndpoint, service, call }) => {
    const { uuid } = await createEndpoint()
    for (const status of ['auto_disabled', 'removed', ''])
      assertRefused(await call('PATCH', `/merchant/webhook-endpoints/${uuid}`, { status }), `"${status}"`)
    assert.equal(
      bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading').status,
      'active',
      'status',
    )
  }),

  inOperations('3.1-auto-disabled-not-shown', ['clock', 'receiver'], async (world) => {
    const { service, control, createEndpoint, startReceiver, sendEvent } = world
    const receiver = await startReceiver(() => 500)
    const { uuid } = await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
    const isAutoDisabled = async () => {
      const listed = bodyOf(
        EndpointsSchema,
        await service.listEndpoints('auto_disabled'),
        'those auto_disabled',
      )
      return listed.some((endpoint) => endpoint.uuid === uuid)
    }
    for (let lost = 0; lost < 20 && !(await isAutoDisabled()); lost += 4) {
      for (let more = 0; more < 4; more++) await sendEvent()
      await control.advance(86_400)
    }
    // A service may lack this state.
    if (!(await isAutoDisabled())) return
    const late = await sendEvent()
    await control.advance(10)
    assert.equal(receiver.about(late.uuid).length, 0, 'deliveries while auto_disabled')
    for (const status of ['disabled', 'active'] as const) await setStatus(world, uuid, status)
  }),
]

async function setStatus({ service }: CheckContext, uuid: string, status: 'active' | 'disabled') {
  assertSuccess(await service.updateEndpoint(uuid, { status }), `setting ${status}`)
  const read = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
  assert.equal(read.status, status, 'the state read back')
}
