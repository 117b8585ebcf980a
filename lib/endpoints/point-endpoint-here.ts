import 'server-only'
import { recordEndpointChange } from '#lib/deliveries/receivers/receiver-periods.ts'
import { addReceiver, closeReceiver } from '#lib/deliveries/receivers/receiver-store.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { requireHttps } from '#lib/platform/addresses/receiver-url.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { fetchNewSecret } from './fetch-new-secret.ts'
import { newReceiverAddress } from './new-receiver-address.ts'
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
