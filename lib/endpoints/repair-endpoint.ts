import 'server-only'
import crypto from 'node:crypto'
import { z } from 'zod'
import {
  addReceiver,
  closeReceiver,
  closeReceiversOf,
  findReceiver,
  markRotating,
  saveSecretDigest,
  setReceiverState,
} from '#lib/deliveries/receivers/receiver-store.ts'
import { parseReceiverState } from '#lib/deliveries/rules/endpoint-states.ts'
import {
  receiverIdOf,
  receiverInPath,
  receiverUrl,
  requireHttps,
} from '#lib/platform/addresses/public-address.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { requireWritingKey } from '#lib/platform/keys/agree-on-keys.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import {
  getWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '#lib/service/webhook-endpoints.ts'
import {
  aboutOneEndpoint,
  EndpointUuidSchema,
  endpointCommand,
  type RunningCommand,
  undoIfSurelyNotDone,
} from './endpoint-command.ts'
import { recordEndpointChange } from './endpoint-states.ts'
import { deleteSecretHandoff, endReplacementOf } from './secret-handoff-store.ts'

/** The endpoint gets a new receiver here. Then its secret is rotated, because nobody here knows the present one. */
export async function pointEndpointHere(
  endpointUuid: string,
  { asks, tookEffect }: Pick<RunningCommand, 'asks' | 'tookEffect'>,
  subscribedEvents?: readonly string[],
): Promise<void> {
  requireHttps()
  requireWritingKey()
  const { receiverId, url } = newReceiverAddress()
  await addReceiver(receiverId, endpointUuid)
  asks('update-endpoint')
  const asked = performance.now()
  const changed = await updateWebhookEndpoint(serviceClient(), endpointUuid, { url, subscribedEvents }).catch(
    undoIfSurelyNotDone(() => closeReceiver(receiverId, endpointUuid)),
  )
  tookEffect('secret-for-here')
  await recordEndpointChange(changed, asked)
  await fetchNewSecret(receiverId, endpointUuid)
}

/**
 * The receiver becomes `rotating`, the service gives the new secret (§4.2), and its digest is stored and the
 * receiver `active`. Another receiver of the endpoint has only the earlier secret, so it is closed before that. After a
 * lost answer the receiver stays `rotating`; a second call repairs it. After a certain refusal the previous state is
 * restored. Throws `Refused` for the receiver of another endpoint, and with wrong keys.
 */
export async function fetchNewSecret(receiverId: string, endpointUuid: string): Promise<void> {
  requireWritingKey()
  const before = await findReceiver(receiverId)
  if (!(await markRotating(receiverId, endpointUuid))) throw new Refused('changed-meanwhile')
  const { signingSecret } = await rotateWebhookSecret(serviceClient(), endpointUuid).catch(
    undoIfSurelyNotDone(async () => {
      if (before) await setReceiverState(receiverId, parseReceiverState(before.state))
    }),
  )
  await deleteSecretHandoff(endpointUuid)
  await endReplacementOf(endpointUuid)
  await closeReceiversOf(endpointUuid, receiverId)
  await saveSecretDigest(receiverId, endpointUuid, signingSecret)
}

/** The create form shows an address of this dashboard that no endpoint has, and sends it back as `receiverId`. */
export function newReceiverAddress(): { readonly receiverId: string; readonly url: string } {
  const receiverId = crypto.randomUUID()
  return { receiverId, url: receiverUrl(receiverId) }
}

export const RepairEndpointSchema = z.object({ endpointUuid: EndpointUuidSchema, reason: ReasonSchema })

/**
 * This repairs an endpoint whose deliveries cannot be checked or do not arrive: it rotates a secret whose answer
 * was lost, and updates a url from before the public address changed. Throws `NotAllowed`, `SignInAgain` and
 * `Refused`.
 */
export const repairEndpoint = endpointCommand<
  z.output<typeof RepairEndpointSchema>,
  { readonly endpointUuid: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.take-over',
  operation: 'rotate-secret',
  needsFreshSignIn: true,
  notice: () => ({ kind: 'endpoint-taken-over' }),
  involves: ({ endpointUuid }) => ({ endpointUuid, newSecret: true }),
  async perform({ endpointUuid }, running) {
    await performRepair(endpointUuid, running)
    return { endpointUuid }
  },
})

/** One receiver holds one secret, so a second endpoint at the same address needs its own address. */
export const isOfAnother = (
  receiver: { endpointUuid: string | null } | null,
  endpointUuid: string,
): boolean => Boolean(receiver?.endpointUuid) && receiver?.endpointUuid !== endpointUuid.toLowerCase()

async function performRepair(endpointUuid: string, running: RunningCommand) {
  const { url } = await getWebhookEndpoint(serviceClient(), endpointUuid)
  const receiverId = receiverInPath(url)
  const receiver = await findReceiver(receiverId)
  const isHere = receiverIdOf(url) !== null
  if (receiverId === null || (!isHere && !receiver)) throw new Refused('endpoint-elsewhere')
  if (isOfAnother(receiver, endpointUuid)) return pointEndpointHere(endpointUuid, running)
  const needsSecret = isHere || receiver?.state !== 'active'
  if (needsSecret) requireWritingKey()
  if (!isHere) {
    requireHttps()
    running.asks('update-endpoint')
    const asked = performance.now()
    const url = receiverUrl(receiverId)
    const changed = await updateWebhookEndpoint(serviceClient(), endpointUuid, { url })
    running.tookEffect('secret-for-here')
    await recordEndpointChange(changed, asked)
  }
  if (needsSecret) await fetchNewSecret(receiverId, endpointUuid)
  else await endReplacementOf(endpointUuid)
}
