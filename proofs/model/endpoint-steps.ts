import fc from 'fast-check'
import { eventTypes } from '../conformance/kit/contract.ts'
import { compareStates, letTimePass } from './compare.ts'
import * as deliveries from './endpoints.ts'
import * as endpoints from './endpoints.ts'
import { type ModelEndpoint, receiverPath, type ScriptedAnswer, scriptableAnswers } from './model.ts'
import {
  addressOf,
  anyOf,
  bindName,
  expectAnswer,
  type ModelRun,
  modelStep,
  oneIn,
  pick,
  realValue,
} from './model-run.ts'

/** The script ends with a quick answer, since the last answer repeats and seven time-outs would take long. */
const script = fc
  .tuple(
    fc.array(fc.constantFrom<ScriptedAnswer>(200, 500, 500, 500, ...scriptableAnswers), { maxLength: 3 }),
    fc.constantFrom<ScriptedAnswer>(200, 200, 204, 302, 404, 500, 500, 'hang up'),
  )
  .map(([first, last]) => [...first, last])

const url = fc.oneof(
  { weight: 8, arbitrary: script },
  {
    weight: 1,
    arbitrary: fc.constantFrom('http://receiver.example/hook', 'receiver', 'ftp://localhost/hook'),
  },
)

const pathOf = (name: string, given: string | ScriptedAnswer[]) =>
  typeof given === 'string' ? given : receiverPath(name, given)

const subscribed_events = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  {
    weight: 4,
    arbitrary: fc.uniqueArray(fc.constantFrom<string>('KYC', 'AML', 'otpNotification'), { minLength: 1 }),
  },
  { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...eventTypes)) },
  { weight: 1, arbitrary: fc.constant<string[]>(['KYC', 'kyc']) },
)

const endpointsPath = '/merchant/webhook-endpoints'

export const createEndpointStep = modelStep(
  'create an endpoint',
  fc.record({
    url,
    length: fc.constantFrom(7, 7, 7, 7, 1, 255, 256, 300),
    subscribed_events,
  }),
  async (model, world, given) => {
    await letTimePass(model, world, 1)
    const wanted = {
      url: pathOf(endpoints.nextName(model), given.url),
      description: 'd'.repeat(given.length),
      ...(given.subscribed_events && { subscribed_events: given.subscribed_events }),
    }
    const expected = endpoints.createEndpointInModel(model, wanted)
    const body = { ...wanted, url: addressOf(world, wanted.url) }
    const answer = await world.sandbox.service('POST', endpointsPath, body)
    const created = model.endpoints.at(-1)
    if (expected.status === 201 && created) {
      bindName(world, created.name, answer.body.uuid)
      bindName(world, endpoints.secretOf(created), answer.body.signing_secret)
    }
    expectAnswer(world, answer, expected)
  },
)

export const listEndpointsStep = modelStep(
  'list the endpoints',
  fc.record({ status: fc.constantFrom(undefined, 'active', 'disabled', 'auto_disabled') }),
  async (model, world, { status }) => {
    const answer = await world.sandbox.service(
      'GET',
      status ? `${endpointsPath}?status=${status}` : endpointsPath,
    )
    expectAnswer(world, answer, endpoints.listEndpointsInModel(model, status))
  },
)

const pathTo = (world: ModelRun, endpoint: ModelEndpoint | undefined) =>
  `${endpointsPath}/${realValue(world, endpoint?.name)}`

export const getEndpointStep = modelStep(
  'get an endpoint',
  fc.record({ endpoint: anyOf }),
  async (model, world, given) => {
    const endpoint = pick(model.endpoints, given.endpoint)
    const answer = await world.sandbox.service('GET', pathTo(world, endpoint))
    expectAnswer(world, answer, endpoints.getEndpointInModel(endpoint))
  },
)

export const changeEndpointStep = modelStep(
  'change an endpoint',
  fc.record({
    endpoint: anyOf,
    url: oneIn(3, url),
    status: fc.constantFrom(undefined, undefined, 'active', 'active', 'disabled', 'auto_disabled'),
    subscribed_events: oneIn(3, subscribed_events),
    description: oneIn(12, fc.constant('another')),
  }),
  async (model, world, given) => {
    const endpoint = pick(model.endpoints, given.endpoint)
    const changes: endpoints.ModelEndpointChanges = {
      ...(given.url && { url: pathOf(endpoint?.name ?? 'unknown', given.url) }),
      ...(given.status && { status: given.status }),
      ...(given.subscribed_events && { subscribed_events: given.subscribed_events }),
      ...(given.description && { description: given.description }),
    }
    const expected = endpoints.changeEndpointInModel(endpoint, changes)
    const body = { ...changes, ...(changes.url && { url: addressOf(world, changes.url) }) }
    expectAnswer(world, await world.sandbox.service('PATCH', pathTo(world, endpoint), body), expected)
  },
)

export const rotateSecretStep = modelStep(
  'rotate a secret',
  fc.record({ endpoint: anyOf }),
  async (model, world, given) => {
    const endpoint = pick(model.endpoints, given.endpoint)
    const expected = endpoints.rotateSecretInModel(endpoint)
    const answer = await world.sandbox.service('PATCH', `${pathTo(world, endpoint)}/secret`)
    if (expected.status === 200 && endpoint)
      bindName(world, endpoints.secretOf(endpoint), answer.body.signing_secret)
    expectAnswer(world, answer, expected)
  },
)

export const deleteEndpointStep = modelStep(
  'delete an endpoint',
  fc.record({ endpoint: anyOf }),
  async (model, world, given) => {
    const endpoint = pick(model.endpoints, given.endpoint)
    const expected = endpoints.deleteEndpointInModel(model, endpoint)
    expectAnswer(world, await world.sandbox.service('DELETE', pathTo(world, endpoint)), expected)
  },
)

export const sendEventStep = modelStep(
  'send an event',
  fc.record({ type: fc.constantFrom('KYC', 'KYC', 'KYC', 'AML', 'AML', ...eventTypes) }),
  async (model, world, { type }) => {
    await letTimePass(model, world, 1)
    // Retries of two events of one second are sent together. It would depend on milliseconds which of them is lost first and
    // disables the endpoint before the other is sent.
    if (deliveries.hasEmittedNow(model)) await letTimePass(model, world, 1)
    const mark = `event ${model.events++}`
    const text = JSON.stringify({ type, subType: 'step', uuid: realValue(world, undefined), data: { mark } })
    world.sent.set(mark, text)
    const expected = deliveries.emitInModel(model, { type, mark })
    const answer = await world.sandbox.control('POST', '/events', text)
    const body = { deliveries: answer.body.deliveries }
    expectAnswer(world, { ...answer, body }, expected)
    // The next command must not run before the first attempts.
    await compareStates(model, world)
  },
)
