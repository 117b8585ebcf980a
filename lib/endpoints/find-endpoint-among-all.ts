import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { listWebhookEndpoints } from '#lib/service/webhook-endpoints.ts'
import { type EndpointView, showEndpoint } from './endpoint-view.ts'
import { getFromService } from './find-endpoint.ts'
import { readReceivers } from './read-receivers.ts'

export interface EndpointAmongAll {
  /** Null when the service knows none of this uuid. */
  readonly endpoint: EndpointView | null
  /** Every endpoint of the merchant; null when the service does not list them now. */
  readonly all: readonly EndpointView[] | null
}

/** One endpoint and all that there are, with what is known here of them read once. Throws `NotAllowed` and `Refused`. */
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
