import { eventTypes } from '../conformance/kit/contract.ts'
import {
  type ExpectedOutcome,
  type Model,
  type ModelDelivery,
  type ModelEndpoint,
  type ModelEvent,
  type ModelUser,
  oneSecond,
  type ScriptedAnswer,
  scriptedAnswer,
} from './model.ts'

export interface ModelNewEndpoint {
  readonly url: string
  readonly description: string
  readonly subscribed_events?: string[]
}

/** §4.2, §2.3. ASSUMED: 201 with all fields of the endpoint. */
export function createEndpointInModel(model: Model, given: ModelNewEndpoint): ExpectedOutcome {
  if (!isUrl(given.url) || given.description.length > 255) return { status: 400 }
  if (given.subscribed_events && !areEventTypes(given.subscribed_events)) return { status: 400 }
  const endpoint: ModelEndpoint = {
    name: nextName(model),
    url: given.url,
    description: given.description,
    subscribedEvents: namedIn(given.subscribed_events),
    status: 'active',
    secrets: 1,
    lostInARow: 0,
    deleted: false,
  }
  model.endpoints.push(endpoint)
  return { status: 201, body: { ...shown(endpoint), signing_secret: secretOf(endpoint) } }
}

export const nextName = (model: Model) => `endpoint ${model.endpoints.length}`

/** §4.2. ASSUMED: oldest first. */
export const listEndpointsInModel = (model: Model, status: string | undefined): ExpectedOutcome => ({
  status: 200,
  body: existing(model)
    .filter((endpoint) => !status || endpoint.status === status)
    .map(shown),
})

export const existing = (model: Model) => model.endpoints.filter(({ deleted }) => !deleted)

/** §4.2. ASSUMED: 404 for an id that nothing has. */
export const getEndpointInModel = (endpoint: ModelEndpoint | undefined): ExpectedOutcome =>
  exists(endpoint) ? { status: 200, body: shown(endpoint) } : { status: 404 }

export interface ModelEndpointChanges {
  readonly url?: string
  readonly status?: string
  readonly subscribed_events?: string[]
  readonly description?: string
}

/** §3.1, §4.2: active and disabled only, and never the description. ASSUMED: active forgets the lost deliveries. */
export function changeEndpointInModel(
  endpoint: ModelEndpoint | undefined,
  changes: ModelEndpointChanges,
): ExpectedOutcome {
  const { url, status, subscribed_events, description } = changes
  if (description !== undefined || (url !== undefined && !isUrl(url))) return { status: 400 }
  if (status !== undefined && status !== 'active' && status !== 'disabled') return { status: 400 }
  if (subscribed_events && !areEventTypes(subscribed_events)) return { status: 400 }
  if (!exists(endpoint)) return { status: 404 }
  if (url) endpoint.url = url
  if (status) endpoint.status = status
  if (status === 'active') endpoint.lostInARow = 0
  if (namedIn(subscribed_events)) endpoint.subscribedEvents = subscribed_events
  return { status: 200, body: shown(endpoint) }
}

/** §4.2: the previous secret stops being valid. */
export function rotateSecretInModel(endpoint: ModelEndpoint | undefined): ExpectedOutcome {
  if (!exists(endpoint)) return { status: 404 }
  endpoint.secrets++
  return { status: 200, body: { uuid: endpoint.name, signing_secret: secretOf(endpoint) } }
}

/** The endpoint gets no further events, and nothing that was queued for it (§3.1). ASSUMED: 204. */
export function deleteEndpointInModel(model: Model, endpoint: ModelEndpoint | undefined): ExpectedOutcome {
  if (!exists(endpoint)) return { status: 404 }
  endpoint.deleted = true
  model.deliveries = model.deliveries.filter((delivery) => delivery.endpoint !== endpoint)
  return { status: 204 }
}

export const secretOf = ({ name, secrets }: ModelEndpoint) => `secret ${secrets} of ${name}`

const exists = (endpoint: ModelEndpoint | undefined): endpoint is ModelEndpoint =>
  endpoint !== undefined && !endpoint.deleted

/** The secret is shown on create and on rotation only (§2.3). */
const shown = ({ name, url, description, subscribedEvents, status }: ModelEndpoint) => ({
  uuid: name,
  url,
  description,
  status,
  ...(subscribedEvents && { subscribed_events: subscribedEvents }),
})

/** URLs use HTTPS (§8). ASSUMED: plain HTTP on this machine, where the receivers are, which are mere paths here. */
const isUrl = (url: string) => url.startsWith('/') || url.startsWith('https://')

/** ASSUMED: an empty list is as if it were left out. */
const namedIn = (types: string[] | undefined) => (types?.length === 0 ? undefined : types)

const areEventTypes = (types: string[]) => types.every((type) => eventTypes.some((known) => known === type))

/** Time passes, and whatever comes due on the way happens at its own time. */
export function letModelTimePass(model: Model, seconds: number): void {
  const target = model.now + seconds * oneSecond
  for (let due = nextDue(model); due && due.at <= target; due = nextDue(model)) {
    model.now = due.at
    due.happen()
  }
  model.now = target
}

function nextDue(model: Model): { at: number; happen(): void } | undefined {
  const bounces = model.bounces.map((bounce) => ({
    at: bounce.at,
    happen: () => reportBounceInModel(model, bounce),
  }))
  const retries = model.deliveries
    .filter(({ state }) => state === 'waiting')
    .map((delivery) => ({ at: delivery.dueAt, happen: () => attempt(model, delivery) }))
  return [...bounces, ...retries].toSorted((a, b) => a.at - b.at)[0]
}

/**
 * The event goes to each active endpoint whose subscribed_events contains the type or is empty (§6). It is first attempted
 * at once.
 */
export function emitInModel(model: Model, event: ModelEvent): ExpectedOutcome {
  const wanting = existing(model).filter(
    ({ status, subscribedEvents }) =>
      status === 'active' && (!subscribedEvents || subscribedEvents.includes(event.type)),
  )
  for (const endpoint of wanting) {
    const delivery: ModelDelivery = { endpoint, event, state: 'waiting', dueAt: model.now, attempts: [] }
    model.deliveries.push(delivery)
    attempt(model, delivery)
  }
  return { status: 202, body: { deliveries: wanting.length } }
}

/** The answer is true when an event was sent in this second: a mail may just have been reported as bounced. */
export const hasEmittedNow = (model: Model): boolean =>
  model.deliveries.some(({ attempts }) => attempts[0]?.at === model.now)

/** Status, url and secret are those of this moment (§3.1, §5.5, §6.8). ASSUMED: a stopped delivery stays stopped. */
function attempt(model: Model, delivery: ModelDelivery): void {
  const { endpoint, attempts } = delivery
  if (endpoint.status !== 'active') {
    delivery.state = 'stopped'
    return
  }
  model.requests++
  const number = attempts.length + 1
  const answer = scriptedAnswer(endpoint.url, number)
  attempts.push({ at: model.now, url: endpoint.url, secret: secretOf(endpoint), answer })
  if (isSuccess(model, answer)) {
    delivery.state = 'delivered'
    endpoint.lostInARow = 0
  } else if (number < 7) {
    delivery.dueAt = model.now + (number ** 6 + 2) * oneSecond
  } else {
    delivery.state = 'lost'
    endpoint.lostInARow++
    // ASSUMED: what leads to auto_disabled.
    if (endpoint.lostInARow === model.settings.autoDisableAfter) endpoint.status = 'auto_disabled'
  }
}

/** ASSUMED: which answers count, as an option. */
const isSuccess = ({ settings }: Model, answer: ScriptedAnswer) =>
  answer === 200 || (answer === 204 && settings.successStatuses === '2xx')

/** §6.6 defines this. */
function reportBounceInModel(model: Model, bounce: { user: ModelUser; at: number }): void {
  model.bounces = model.bounces.filter((other) => other !== bounce)
  emitInModel(model, { type: 'otpNotification', mark: `${bounce.user.email} at ${bounce.at}` })
}
