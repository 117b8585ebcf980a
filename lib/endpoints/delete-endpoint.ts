import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { EndpointUuid, Reason } from './endpoint-forms.ts'
import { performChange } from './perform-change.ts'
import { removeEndpoint } from './remove-endpoint.ts'

export const DeleteEndpointForm = z.object({ endpointUuid: EndpointUuid, reason: Reason })

/**
 * Deletes an endpoint; it receives nothing more (§3.1), and its receiver closes. One that is gone already counts as
 * deleted. Throws `NotAllowed`, `SignInAgain` and `Refused`.
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
    destructive: true,
    target: endpointUuid,
    reason,
  } as const
  return performChange(change, async () => {
    await removeEndpoint(endpointUuid)
    return { endpointUuid }
  })
}
