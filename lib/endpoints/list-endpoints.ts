import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { KnownEndpointStatus } from '#lib/deliveries/rules/endpoint-states.ts'
import { refuseWithServiceMessage } from '#lib/service/error-messages.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import { type EndpointView, showEndpoint } from './endpoint-view.ts'
import { readReceivers } from './read-receivers.ts'

export interface EndpointFilter {
  readonly status?: KnownEndpointStatus | undefined
}

/** Every endpoint of the merchant, or those in one state (§4.2). Throws `NotAllowed` and `Refused`. */
export async function listEndpoints(caller: Caller, filter: EndpointFilter = {}): Promise<EndpointView[]> {
  requirePermission(caller, 'see-endpoint-health')
  const found = await endpoints
    .listWebhookEndpoints(serviceClient(), filter)
    .catch(refuseWithServiceMessage('list-endpoints'))
  const views = await readReceivers(found, new Date())
  return views.map((view) => showEndpoint(caller.role, view))
}
