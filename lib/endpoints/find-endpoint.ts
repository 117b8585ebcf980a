import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { refuseWithServiceMessage } from '#lib/service/error-messages.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getWebhookEndpoint, type WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { type EndpointView, showEndpoint } from './endpoint-view.ts'
import { readReceivers } from './read-receivers.ts'

/** One endpoint, or null when the service knows none of this uuid. Throws `NotAllowed` and `Refused`. */
export async function findEndpoint(caller: Caller, uuid: string): Promise<EndpointView | null> {
  requirePermission(caller, 'see-endpoint-health')
  const found = await getFromService(uuid)
  const [view] = found ? await readReceivers([found], new Date()) : []
  return view ? showEndpoint(caller.role, view) : null
}

/** What the service says of an endpoint; null when it knows none of this uuid. Throws `Refused`. */
export const getFromService = (uuid: string): Promise<WebhookEndpoint | null> =>
  getWebhookEndpoint(serviceClient(), uuid).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'not-found') return null
    return refuseWithServiceMessage('get-endpoint')(error)
  })
