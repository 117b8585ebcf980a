import 'server-only'
import {
  findReceiver,
  markRotating,
  saveSecretDigest,
  setReceiverState,
} from '#lib/deliveries/receivers/receiver-store.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { rotateWebhookSecret } from '#lib/service/webhook-endpoints.ts'
import { deleteSecretHandoff } from './secret-handoff-store.ts'
import { undoIfSurelyNotDone } from './undo-if-surely-not-done.ts'

/**
 * Sets the receiver to `rotating`, asks the service for the new secret (§4.2), stores its digest and sets it
 * `active`. After a lost answer the receiver stays `rotating`, and calling this again repairs it. After a
 * certain refusal the previous state is restored.
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
