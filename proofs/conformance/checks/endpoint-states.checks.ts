import assert from 'node:assert/strict'
import { type Check, type CheckContext, inOperations, overHttp } from '../kit/check-context.ts'
import {
  assertRefused,
  assertSuccess,
  bodyOf,
  EndpointSchema,
  EndpointsSchema,
  RotatedSecretSchema,
} from '../kit/shapes.ts'

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

/** §5.5 defines these rules. */
export const deliveryHeaderChecks: Check[] = [
  inOperations('5.5-accept', ['control', 'receiver'], async (world) => {
    assert.equal((await receiveOne(world)).headers.accept, 'application/json', 'Accept')
  }),

  inOperations('5.5-content-type', ['control', 'receiver'], async (world) => {
    assert.equal((await receiveOne(world)).headers['content-type'], 'application/json', 'Content-type')
  }),

  inOperations('5.5-authorization', ['control', 'receiver'], async (world) => {
    const { headers, secret } = await receiveOne(world)
    assert.equal(headers.authorization, `API-Key ${secret}`, 'Authorization')
  }),

  inOperations('5.5-own-secret', ['control', 'receiver'], async (world) => {
    const { one, other, arrived } = await receiveTwo(world)
    assert.deepEqual(
      arrived,
      [
        ['/hook?one', `API-Key ${one.signing_secret}`],
        ['/hook?other', `API-Key ${other.signing_secret}`],
      ],
      'url and secret',
    )
  }),

  inOperations('5.5-mismatch', ['control', 'receiver'], async (world) => {
    const { one, arrived } = await receiveTwo(world)
    const kept = arrived.filter(([, authorization]) => authorization === `API-Key ${one.signing_secret}`)
    assert.equal(kept.length, 1, 'what a receiver keeps that compares with the one secret')
  }),

  inOperations('5.5-after-rotation', ['control', 'receiver'], async (world) => {
    const { createEndpoint, startReceiver, sendEvent, service } = world
    const receiver = await startReceiver()
    const created = await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
    const before = await receiver.receive(await sendEvent())
    const rotated = bodyOf(RotatedSecretSchema, await service.rotateSecret(created.uuid), 'rotating')
    const after = await receiver.receive(await sendEvent())
    assert.equal(after.headers.authorization, `API-Key ${rotated.signing_secret}`, 'after it')
    assert.notEqual(after.headers.authorization, before.headers.authorization, 'before and after it')
  }),
]

async function receiveOne({ createEndpoint, startReceiver, sendEvent }: CheckContext) {
  const receiver = await startReceiver()
  const { signing_secret } = await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
  const { headers } = await receiver.receive(await sendEvent())
  return { headers, secret: signing_secret }
}

/** One event goes to two endpoints of one receiver. The result says which path got which header. */
async function receiveTwo({ createEndpoint, startReceiver, sendEvent }: CheckContext) {
  const receiver = await startReceiver()
  const [one, other] = [
    await createEndpoint({ url: `${receiver.url}?one`, subscribed_events: ['AML'] }),
    await createEndpoint({ url: `${receiver.url}?other`, subscribed_events: ['AML'] }),
  ]
  const { uuid } = await sendEvent()
  await receiver.collect((envelope) => envelope.uuid === uuid, 2)
  const arrived = receiver.about(uuid).map(({ path, headers }) => [path, headers.authorization] as const)
  return { one, other, arrived: arrived.toSorted() }
}

/** §6.8 and its rows in §8 define these rules. */
export const retryChecks: Check[] = [
  inOperations('6.8-1-seven-attempts', ['clock', 'receiver'], sevenAttempts),
  inOperations('6.8-2-waits', ['clock', 'receiver'], waitsBetweenAttempts),
  inOperations('6.8-3-then-never', ['clock', 'receiver'], async (world) => {
    const { attempted } = await playRetrySchedule(world)
    await world.control.advance(30 * 86_400)
    assert.equal(attempted(), 7, 'attempts a month later')
  }),
  inOperations('8-attempts', ['clock', 'receiver'], sevenAttempts),
  inOperations('8-delay', ['clock', 'receiver'], waitsBetweenAttempts),
]

async function sevenAttempts(world: CheckContext) {
  const { attempted } = await playRetrySchedule(world)
  assert.equal(attempted(), 7, 'attempts in a day')
}

async function waitsBetweenAttempts(world: CheckContext) {
  const { attempts } = await playRetrySchedule(world)
  for (const [n, wait] of [3, 66, 731, 4_098, 15_627, 46_658].entries()) {
    const [before, retry] = [attempts[n], attempts[n + 1]]
    if (!before || !retry) return assert.fail(`there is no retry ${n + 1}`)
    const ended = before.started_at.getTime() + before.duration_ms
    const waited = (retry.started_at.getTime() - ended) / 1_000
    assert.ok(waited > wait - 0.1 && waited < wait + 1, `${wait} s before retry ${n + 1}: ${waited} s`)
  }
}

/** The event is answered 500 every time, over the day that the retry schedule takes. */
async function playRetrySchedule({ createEndpoint, startReceiver, sendEvent, control }: CheckContext) {
  const receiver = await startReceiver(() => 500)
  const { uuid } = await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
  const event = await sendEvent()
  await control.advance(86_400)
  const deliveries = await control.deliveries(uuid)
  const delivery = deliveries.find(({ envelope }) => envelope.uuid === event.uuid)
  return { attempts: delivery?.attempts ?? [], attempted: () => receiver.about(event.uuid).length }
}
