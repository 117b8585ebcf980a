import { eventTypes } from '../conformance/kit/contract.ts'
import type { ExpectedOutcome, Model, ModelEndpoint } from './model.ts'

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

/** §3.1: it gets no further events, nor what was queued for it. ASSUMED: 204. */
export function deleteEndpointInModel(model: Model, endpoint: ModelEndpoint | undefined): ExpectedOutcome {
  if (!exists(endpoint)) return { status: 404 }
  endpoint.deleted = true
  model.deliveries = model.deliveries.filter((delivery) => delivery.endpoint !== endpoint)
  return { status: 204 }
}

export const secretOf = ({ name, secrets }: ModelEndpoint) => `secret ${secrets} of ${name}`

const exists = (endpoint: ModelEndpoint | undefined): endpoint is ModelEndpoint =>
  endpoint !== undefined && !endpoint.deleted

/** §2.3: the secret is shown on create and on rotation only. */
const shown = ({ name, url, description, subscribedEvents, status }: ModelEndpoint) => ({
  uuid: name,
  url,
  description,
  status,
  ...(subscribedEvents && { subscribed_events: subscribedEvents }),
})

/** §8: HTTPS. ASSUMED: plain HTTP on this machine, where the receivers are that are mere paths here. */
const isUrl = (url: string) => url.startsWith('/') || url.startsWith('https://')

/** ASSUMED: an empty list is as if it were left out. */
const namedIn = (types: string[] | undefined) => (types?.length === 0 ? undefined : types)

const areEventTypes = (types: string[]) => types.every((type) => eventTypes.some((known) => known === type))
