import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { KnownEndpointStatus } from '#lib/deliveries/rules/endpoint-status.ts'
import { refuseWithServiceMessage } from '#lib/service/error-messages.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import {
  getWebhookEndpoint,
  listWebhookEndpoints,
  type WebhookEndpoint,
} from '#lib/service/webhook-endpoints.ts'
import { type EndpointView, readReceivers, showEndpoint } from './endpoint-view.ts'

interface EndpointFilter {
  readonly status?: KnownEndpointStatus | undefined
}

/** The result has every endpoint of the merchant, or those in one state (§4.2). Throws `NotAllowed` and `Refused`. */
export async function listEndpoints(caller: Caller, filter: EndpointFilter = {}): Promise<EndpointView[]> {
  requirePermission(caller, 'see-endpoint-health')
  const found = await endpoints
    .listWebhookEndpoints(serviceClient(), filter)
    .catch(refuseWithServiceMessage('list-endpoints'))
  const views = await readReceivers(found, new Date())
  return views.map((view) => showEndpoint(caller.role, view))
}

/** The endpoint is null when the service has none with this uuid. Throws `NotAllowed` and `Refused`. */
export async function findEndpoint(caller: Caller, uuid: string): Promise<EndpointView | null> {
  requirePermission(caller, 'see-endpoint-health')
  const found = await getFromService(uuid)
  const [view] = found ? await readReceivers([found], new Date()) : []
  return view ? showEndpoint(caller.role, view) : null
}

/** The service gives the endpoint; null when it has none with this uuid. Throws `Refused`. */
const getFromService = (uuid: string): Promise<WebhookEndpoint | null> =>
  getWebhookEndpoint(serviceClient(), uuid).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'not-found') return null
    return refuseWithServiceMessage('get-endpoint')(error)
  })

interface EndpointAmongAll {
  /** The endpoint is null when the service has none with this uuid. */
  readonly endpoint: EndpointView | null
  /** The list has every endpoint of the merchant; null when the service does not list them now. */
  readonly all: readonly EndpointView[] | null
}

/**
 * This returns one endpoint and all endpoints, and reads once what is known here of them. Throws `NotAllowed` and
 * `Refused`.
 */
export async function findEndpointAmongAll(caller: Caller, uuid: string): Promise<EndpointAmongAll> {
  requirePermission(caller, 'see-endpoint-health')
  const [found, listed] = await Promise.all([
    getFromService(uuid),
    listWebhookEndpoints(serviceClient()).catch((error: unknown) => {
      if (error instanceof ServiceError) return null
      throw error
    }),
  ])
  if (!found) return { endpoint: null, all: null }
  const views = await readReceivers([found, ...(listed ?? [])], new Date())
  const [endpoint = null, ...all] = views.map((view) => showEndpoint(caller.role, view))
  return { endpoint, all: listed && all }
}
