import 'server-only'
import type { EventType } from '#lib/domain/event-types.ts'
import { updateEndpoint } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { fetchNewSecret } from './fetch-new-secret.ts'
import { requireSecureAddress } from './own-address.ts'
import { prepareAddress } from './prepare-address.ts'
import { noteChange } from './receiver-periods.ts'
import { addReceiver, closeReceiver } from './receiver-store.ts'
import { undoIfSurelyNotDone } from './undo-if-surely-not-done.ts'

/** Points an endpoint at a new receiver of ours, then has its secret rotated: nobody here knows the present one. */
export async function moveHere(endpointUuid: string, subscribedEvents?: readonly EventType[]): Promise<void> {
  requireSecureAddress()
  const { receiverId, url } = prepareAddress()
  await addReceiver(receiverId, endpointUuid)
  const asked = performance.now()
  const changed = await updateEndpoint(service(), endpointUuid, { url, subscribedEvents }).catch(
    undoIfSurelyNotDone(() => closeReceiver(receiverId)),
  )
  await noteChange(changed, asked)
  await fetchNewSecret(receiverId, endpointUuid)
}
