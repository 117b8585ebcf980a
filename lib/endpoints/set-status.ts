import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { updateEndpoint } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { EndpointUuid, Reason } from './endpoint-forms.ts'
import { performChange } from './perform-change.ts'
import { noteChange } from './receiver-periods.ts'

export const SetStatusForm = z.object({
  endpointUuid: EndpointUuid,
  status: z.enum(['active', 'disabled'], 'An endpoint can be made active or disabled.'),
  reason: Reason,
})

/** Disables an endpoint, or makes it active again (§3.1). Throws `NotAllowed`, `SignInAgain` and `Refused`. */
export async function setStatus(
  caller: Caller,
  { endpointUuid, status, reason }: z.output<typeof SetStatusForm>,
  source: CallSource,
): Promise<{ readonly endpointUuid: string; readonly status: string }> {
  const change = {
    caller,
    source,
    action: 'endpoint.set-status',
    operation: 'update-endpoint',
    destructive: status === 'disabled',
    target: endpointUuid,
    reason,
    details: { status },
    status,
  } as const
  return performChange(change, async () => {
    const asked = performance.now()
    const changed = await updateEndpoint(service(), endpointUuid, { status })
    await noteChange(changed, asked)
    return { endpointUuid, status: changed?.status ?? status }
  })
}
