import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { inServiceWords } from '#lib/auth/service-words.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { closeAbandoned } from './close-abandoned.ts'
import type { EndpointView } from './endpoint-view.ts'
import { settleCreations } from './handover-store.ts'
import { readReceivers } from './read-receivers.ts'

export type EndpointFilter = { readonly status?: 'active' | 'disabled' | 'auto_disabled' | undefined }

/**
 * Every endpoint of the merchant, or those in one state (§4.2). The whole list also ends what was interrupted and needs
 * nobody's word. Throws `NotAllowed` and `Refused`.
 */
export async function listEndpoints(caller: Caller, filter: EndpointFilter = {}): Promise<EndpointView[]> {
  requirePermission(caller, 'see-endpoint-health')
  const found = await endpoints.listEndpoints(service(), filter).catch(inServiceWords('list-endpoints'))
  const now = new Date()
  if (filter.status === undefined) {
    await closeAbandoned(found, now)
    await settleCreations(found, now)
  }
  return readReceivers(found, now)
}
