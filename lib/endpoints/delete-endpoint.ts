import 'server-only'
import { z } from 'zod'
import { closeReceiversOf, markDeleting } from '#lib/deliveries/receivers/receiver-store.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { deleteWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { aboutOneEndpoint, EndpointUuidSchema, endpointCommand } from './endpoint-command.ts'
import { deleteSecretHandoff } from './secret-handoff-store.ts'

export const DeleteEndpointSchema = z.object({ endpointUuid: EndpointUuidSchema, reason: ReasonSchema })

/**
 * This deletes an endpoint, which then receives nothing more (§3.1), and closes its receiver. An endpoint that is
 * already gone counts as deleted. Throws `NotAllowed`, `SignInAgain` and `Refused`.
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

/**
 * The service deletes the endpoint; one that is already gone counts as deleted. Then Rampart deletes what it kept
 * for it.
 */
export async function deleteAtService(endpointUuid: string): Promise<void> {
  await markDeleting(endpointUuid)
  await deleteWebhookEndpoint(serviceClient(), endpointUuid).catch(ignoreNotFound)
  await closeReceiversOf(endpointUuid)
  await deleteSecretHandoff(endpointUuid)
}

function ignoreNotFound(error: unknown) {
  if (!(error instanceof ServiceError && error.code === 'not-found')) throw error
}
