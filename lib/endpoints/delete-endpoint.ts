import 'server-only'
import { z } from 'zod'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { deleteAtService } from './delete-at-service.ts'
import { aboutOneEndpoint, endpointCommand } from './endpoint-command.ts'
import { EndpointUuidSchema } from './endpoint-forms.ts'

export const DeleteEndpointSchema = z.object({ endpointUuid: EndpointUuidSchema, reason: ReasonSchema })

/**
 * Deletes an endpoint; it receives nothing more (§3.1), and its receiver closes. One that is gone already counts as
 * deleted. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export const deleteEndpoint = endpointCommand<
  z.output<typeof DeleteEndpointSchema>,
  { readonly endpointUuid: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.delete',
  operation: 'delete-endpoint',
  needsFreshSignIn: true,
  notice: () => ({ kind: 'endpoint-deleted' }),
  involves: ({ endpointUuid }) => ({ endpointUuid, gone: true }),
  noLongerOff: ({ endpointUuid }) => endpointUuid,
  async perform({ endpointUuid }) {
    await deleteAtService(endpointUuid)
    return { endpointUuid }
  },
})
