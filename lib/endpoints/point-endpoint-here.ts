import 'server-only'
import crypto from 'node:crypto'
import { recordEndpointChange } from '#lib/deliveries/receivers/receiver-periods.ts'
import {
  addReceiver,
  closeReceiver,
  findReceiver,
  markRotating,
  saveSecretDigest,
  setReceiverState,
} from '#lib/deliveries/receivers/receiver-store.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { receiverUrl, requireHttps } from '#lib/platform/addresses/receiver-url.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { rotateWebhookSecret, updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { undoIfSurelyNotDone } from './endpoint-command.ts'
import { deleteSecretHandoff } from './secret-handoff-store.ts'

/** The endpoint gets a new receiver here. Then its secret is rotated, because nobody here knows the present one. */
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

/**
 * The receiver becomes `rotating`, the service gives the new secret (§4.2), and its digest is stored and the
 * receiver `active`. After a lost answer the receiver stays `rotating`; a second call repairs it. After a certain
 * refusal the previous state is restored.
 */
export async function fetchNewSecret(receiverId: string, endpointUuid: string): Promise<void> {
  const before = await findReceiver(receiverId)
  await markRotating(receiverId, endpointUuid)
  const { signingSecret } = await rotateWebhookSecret(serviceClient(), endpointUuid).catch(
    undoIfSurelyNotDone(async () => {
      if (before?.state === 'active') await setReceiverState(receiverId, 'active')
    }),
  )
  await deleteSecretHandoff(endpointUuid)
  await saveSecretDigest(receiverId, endpointUuid, signingSecret)
}

/** The create form shows an address of this dashboard that no endpoint has, and sends it back as `receiverId`. */
export function newReceiverAddress(): { readonly receiverId: string; readonly url: string } {
  const receiverId = crypto.randomUUID()
  return { receiverId, url: receiverUrl(receiverId) }
}
