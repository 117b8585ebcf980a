import assert from 'node:assert/strict'
import { type Check, inOperations } from '../kit/check.ts'
import type { CheckContext } from '../kit/check-context.ts'
import { bodyOf, RotatedSecretSchema } from '../kit/shapes.ts'

/** §5.5 */
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

/** One event, sent to two endpoints of one receiver: at which path it came with which header. */
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
