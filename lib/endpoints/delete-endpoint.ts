import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { prisma } from '#lib/db/prisma.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { EndpointUuid, Reason } from './endpoint-forms.ts'
import { performChange } from './perform-change.ts'

export const DeleteEndpointForm = z.object({ endpointUuid: EndpointUuid, reason: Reason })

/** Deletes an endpoint; it receives nothing more (§3.1), and its receiver closes. Throws `NotAllowed` and `Refused`. */
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
    await endpoints.deleteEndpoint(service(), endpointUuid)
    await prisma().receiver.updateMany({
      where: { endpointUuid },
      data: { state: 'closed', updatedAt: new Date() },
    })
    return { endpointUuid }
  })
}
