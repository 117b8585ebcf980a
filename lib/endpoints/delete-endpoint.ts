import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { ServiceError } from '#lib/service/errors.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { EndpointUuid, Reason } from './endpoint-forms.ts'
import { performChange } from './perform-change.ts'
import { closeReceiversOf } from './receiver-store.ts'

export const DeleteEndpointForm = z.object({ endpointUuid: EndpointUuid, reason: Reason })

/**
 * Deletes an endpoint; it receives nothing more (§3.1), and its receiver closes. One that is gone already counts as
 * deleted. Throws `NotAllowed` and `Refused`.
 */
export async function deleteEndpoint(
  caller: Caller,
  { endpointUuid, reason }: z.output<typeof DeleteEndpointForm>,
  source: CallSource,
): Promise<{ readonly endpointUuid: string }> {
  const change = {
    caller,
    source,
    action: 'endpoint.delete',
    operation: 'delete-endpoint',
    target: endpointUuid,
    reason,
  } as const
  return performChange(change, async () => {
    await endpoints.deleteEndpoint(service(), endpointUuid).catch(unlessGone)
    await closeReceiversOf(endpointUuid)
    return { endpointUuid }
  })
}

function unlessGone(error: unknown) {
  if (!(error instanceof ServiceError && error.code === 'not-found')) throw error
}
