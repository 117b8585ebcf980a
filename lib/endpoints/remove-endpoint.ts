import 'server-only'
import { ServiceError } from '#lib/service/errors.ts'
import { deleteEndpoint } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { forgetHandover } from './handover-store.ts'
import { closeReceiversOf, expectDeletion } from './receiver-store.ts'

/** Deletes at the service, where one that is gone already counts as deleted, and forgets what was kept for it. */
export async function removeEndpoint(endpointUuid: string): Promise<void> {
  await expectDeletion(endpointUuid)
  await deleteEndpoint(service(), endpointUuid).catch(unlessGone)
  await closeReceiversOf(endpointUuid)
  await forgetHandover(endpointUuid)
}

function unlessGone(error: unknown) {
  if (!(error instanceof ServiceError && error.code === 'not-found')) throw error
}
