import 'server-only'
import type { EventType } from '#lib/domain/event-types.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { updateEndpoint } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { fetchNewSecret } from './fetch-new-secret.ts'
import { requireSecureAddress } from './own-address.ts'
import { prepareAddress } from './prepare-address.ts'
import { noteChange } from './receiver-periods.ts'
import { addReceiver, closeReceiver } from './receiver-store.ts'

/** Points an endpoint at a new receiver of ours, then has its secret rotated: nobody here knows the present one. */
export async function moveHere(endpointUuid: string, subscribedEvents?: readonly EventType[]): Promise<void> {
  requireSecureAddress()
  const { receiverId, url } = prepareAddress()
  await addReceiver(receiverId, endpointUuid)
  const asked = performance.now()
  try {
    await noteChange(await updateEndpoint(service(), endpointUuid, { url, subscribedEvents }), asked)
  } catch (error) {
    if (error instanceof ServiceError && !error.mayHaveTakenEffect) await closeReceiver(receiverId)
    throw error
  }
  await fetchNewSecret(receiverId, endpointUuid)
}
