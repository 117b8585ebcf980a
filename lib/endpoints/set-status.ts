import 'server-only'
import { z } from 'zod'
import { recordEndpointChange } from '#lib/deliveries/receivers/receiver-periods.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getWebhookEndpoint, updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { aboutOneEndpoint, endpointCommand } from './endpoint-command.ts'
import { EndpointUuidSchema } from './endpoint-forms.ts'

export const SetStatusSchema = z.object({
  endpointUuid: EndpointUuidSchema,
  status: z.enum(['active', 'disabled'], 'An endpoint can be made active or disabled.'),
  reason: ReasonSchema,
})

/** Disables an endpoint, or makes it active again (§3.1). Throws `NotAllowed`, `SignInAgain` and `Refused`. */
export const setStatus = endpointCommand<
  z.output<typeof SetStatusSchema>,
  { readonly endpointUuid: string; readonly status: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.set-status',
  operation: 'update-endpoint',
  needsFreshSignIn: true,
  notice: ({ status }) => ({ kind: status === 'active' ? 'endpoint-activated' : 'endpoint-disabled' }),
  details: ({ status }) => ({ status }),
  status: ({ status }) => status,
  noLongerOff: ({ endpointUuid, status }) => (status === 'active' ? endpointUuid : null),
  async perform({ endpointUuid, status }, { changing }) {
    const present = await getWebhookEndpoint(serviceClient(), endpointUuid)
    changing({ before: { status: present.status }, after: { status } })
    const asked = performance.now()
    const changed = await updateWebhookEndpoint(serviceClient(), endpointUuid, { status })
    await recordEndpointChange(changed, asked)
    return { endpointUuid, status: changed?.status ?? status }
  },
})
