import assert from 'node:assert/strict'
import { type Check, type CheckContext, inOperations, overHttp } from '../kit/check-context.ts'
import { eventTypes } from '../kit/contract.ts'
import {
  assertRefused,
  assertStatus,
  assertSuccess,
  bodyOf,
  EndpointSchema,
  EndpointsSchema,
  RotatedSecretSchema,
} from '../kit/shapes.ts'

const url = 'https://receiver.example/hook'
const description = 'Conformance'

/** §2.3 defines these rules. */
export const webhookEndpointChecks: Check[] = [
  inOperations('2.3-uuid', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint()
    assert.equal(bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading by it').uuid, uuid, 'uuid')
  }),

  inOperations('2.3-url-https', [], onlyHttps),

  inOperations('2.3-url-receives', ['control', 'receiver'], async (world) => {
    const { createEndpoint, startReceiver, sendEvent, service } = world
    const [old, other] = [await startReceiver(), await startReceiver()]
    const { uuid } = await createEndpoint({ url: old.url, subscribed_events: ['AML'] })
    await old.receive(await sendEvent())
    assertSuccess(await service.updateEndpoint(uuid, { url: other.url }), 'another url')
    const event = await sendEvent()
    await other.receive(event)
    assert.equal(old.about(event.uuid).length, 0, 'what the old url got after it')
  }),

  overHttp('2.3-url-required', [], async ({ call }) =>
    assertRefused(await call('POST', '/merchant/webhook-endpoints', { description }), 'no url'),
  ),

  overHttp('2.3-description-required', [], async ({ call }) =>
    assertRefused(await call('POST', '/merchant/webhook-endpoints', { url }), 'no description'),
  ),

  inOperations('2.3-description-255', [], at255Characters),

  inOperations('2.3-subscribed-events-optional', [], async ({ createEndpoint }) => createEndpoint()),

  inOperations(
    '2.3-subscribed-events-omitted',
    ['control', 'receiver'],
    async ({ createEndpoint, startReceiver, sendEvent }) => {
      const receiver = await startReceiver()
      await createEndpoint({ url: receiver.url })
      for (const type of eventTypes) {
        const event = await sendEvent({ type })
        assert.equal((await receiver.receive(event)).envelope.type, type, 'what came')
      }
    },
  ),

  inOperations('2.3-status', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint()
    assert.equal(
      bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it').status,
      'active',
      'at first',
    )
    bodyOf(EndpointsSchema, await service.listEndpoints(), 'every endpoint’s status')
  }),

  inOperations('2.3-signing-secret-per-endpoint', [], async ({ createEndpoint }) => {
    const [one, other] = [await createEndpoint(), await createEndpoint()]
    assert.notEqual(one.signing_secret, other.signing_secret, 'two secrets')
  }),

  inOperations('2.3-signing-secret-create', [], async ({ createEndpoint }) => {
    assert.match((await createEndpoint()).signing_secret, /^[!-~]+$/, 'what a header can carry')
  }),

  inOperations('2.3-signing-secret-rotate', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint()
    const { signing_secret } = bodyOf(RotatedSecretSchema, await service.rotateSecret(uuid), 'rotating')
    assert.match(signing_secret, /^[!-~]+$/, 'what a header can carry')
  }),

  overHttp('2.3-signing-secret-hidden', [], async ({ createEndpoint, call }) => {
    const { uuid, signing_secret } = await createEndpoint()
    const answers = [
      await call('GET', `/merchant/webhook-endpoints/${uuid}`),
      await call('GET', '/merchant/webhook-endpoints'),
      await call('PATCH', `/merchant/webhook-endpoints/${uuid}`, { status: 'disabled' }),
    ]
    for (const answer of answers) {
      assertSuccess(answer, 'get, list and update')
      assert.ok(!answer.text.includes(signing_secret), 'get, list and update show no secret')
    }
  }),

  ...eventTypes.map((type) =>
    inOperations(`2.3-event-${type}`, [], async ({ createEndpoint, service }) => {
      const { uuid } = await createEndpoint({ subscribed_events: [type] })
      const { subscribed_events } = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
      assert.deepEqual(subscribed_events, [type], 'its events')
    }),
  ),

  inOperations('2.3-events-exact', [], async ({ service }) => {
    for (const type of ['kyc', 'FIATTOCRYPTO', 'fiat_to_crypto', 'walletCreated ', 'everything', '']) {
      const endpoint = { url, description, subscribed_events: ['KYC', type] }
      assertStatus(await service.createEndpoint(endpoint), 400, `"${type}" beside KYC`)
    }
  }),

  inOperations(
    '2.3-unblock-name',
    ['control', 'receiver'],
    async ({ createEndpoint, startReceiver, allEvents, sendEvent }) => {
      const receiver = await startReceiver()
      await createEndpoint({ url: receiver.url, subscribed_events: ['unblockBankAccount'] })
      const event = await sendEvent({ type: 'unblockBankAccount', subType: 'statusUpdate' })
      assert.equal((await receiver.receive(event)).envelope.type, 'unblockBankAccount', 'type')
      assert.ok((await allEvents()).of('unblockBankAccount').length > 0, 'the service sends it by itself')
    },
  ),

  inOperations('2.3-legacy-spelling-400', [], refusesLegacySpelling),

  inOperations('2.3-other-fields-not-shown', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint()
    bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'get')
    bodyOf(EndpointsSchema, await service.listEndpoints(), 'list')
  }),
]

/** §2.3 and §8 define this. */
export async function onlyHttps({ service, createEndpoint }: CheckContext) {
  const { uuid } = await createEndpoint()
  for (const other of ['http://receiver.example/hook', 'ftp://receiver.example/hook', 'receiver.example']) {
    assertRefused(await service.createEndpoint({ url: other, description }), `create with ${other}`)
    assertRefused(await service.updateEndpoint(uuid, { url: other }), `update to ${other}`)
  }
}

/** §2.3 and §8 define this. */
export async function at255Characters({ service, createEndpoint }: CheckContext) {
  const { uuid } = await createEndpoint({ description: 'x'.repeat(255) })
  const read = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading 255 characters')
  assert.equal(read.description?.length, 255, 'characters kept')
  assertRefused(await service.createEndpoint({ url, description: 'x'.repeat(256) }), '256 characters')
}

/** The document withholds the service's name, so any word before BankAccount may be it (§2.3, §7). */
export async function refusesLegacySpelling({ service, createEndpoint }: CheckContext) {
  const { uuid } = await createEndpoint()
  for (const word of ['legacy', 'service', 'sandbox']) {
    const subscribed_events = [`${word}BankAccount`]
    assertStatus(await service.createEndpoint({ url, description, subscribed_events }), 400, 'create')
    assertStatus(await service.updateEndpoint(uuid, { subscribed_events }), 400, 'update')
  }
}
