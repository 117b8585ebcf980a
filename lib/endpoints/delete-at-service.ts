import 'server-only'
import { closeReceiversOf, markDeleting } from '#lib/deliveries/receivers/receiver-store.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { deleteWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { deleteSecretHandoff } from './secret-handoff-store.ts'

/** Deletes at the service, where one that is gone already counts as deleted, and forgets what was kept for it. */
export async function deleteAtService(endpointUuid: string): Promise<void> {
  await markDeleting(endpointUuid)
  await deleteWebhookEndpoint(serviceClient(), endpointUuid).catch(ignoreNotFound)
  await closeReceiversOf(endpointUuid)
  await deleteSecretHandoff(endpointUuid)
}

function ignoreNotFound(error: unknown) {
  if (!(error instanceof ServiceError && error.code === 'not-found')) throw error
}
