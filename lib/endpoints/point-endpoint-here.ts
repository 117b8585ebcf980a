import 'server-only'
import type { EventType } from '#lib/domain/event-types.ts'
import { updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { serviceClient } from '#lib/service-client.ts'
import { fetchNewSecret } from './fetch-new-secret.ts'
import { newReceiverAddress } from './new-receiver-address.ts'
import { recordEndpointChange } from './receiver-periods.ts'
import { addReceiver, closeReceiver } from './receiver-store.ts'
import { requireHttps } from './receiver-url.ts'
import { undoIfSurelyNotDone } from './undo-if-surely-not-done.ts'

/** Points an endpoint at a new receiver of ours, then has its secret rotated: nobody here knows the present one. */
export async function pointEndpointHere(
  endpointUuid: string,
  subscribedEvents?: readonly EventType[],
): Promise<void> {
  requireHttps()
  const { receiverId, url } = newReceiverAddress()
  await addReceiver(receiverId, endpointUuid)
  const asked = performance.now()
  const changed = await updateWebhookEndpoint(serviceClient(), endpointUuid, { url, subscribedEvents }).catch(
    undoIfSurelyNotDone(() => closeReceiver(receiverId)),
  )
  await recordEndpointChange(changed, asked)
  await fetchNewSecret(receiverId, endpointUuid)
}
