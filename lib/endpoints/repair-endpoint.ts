import 'server-only'
import { z } from 'zod'
import { recordEndpointChange } from '#lib/deliveries/receivers/receiver-periods.ts'
import { findReceiver } from '#lib/deliveries/receivers/receiver-store.ts'
import {
  receiverIdOf,
  receiverInPath,
  receiverUrl,
  requireHttps,
} from '#lib/platform/addresses/receiver-url.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getWebhookEndpoint, updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { aboutOneEndpoint, EndpointUuidSchema, endpointCommand } from './endpoint-command.ts'
import { fetchNewSecret, pointEndpointHere } from './point-endpoint-here.ts'

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
  async perform({ endpointUuid }) {
    await performRepair(endpointUuid)
    return { endpointUuid }
  },
})

async function performRepair(endpointUuid: string) {
  const { url } = await getWebhookEndpoint(serviceClient(), endpointUuid)
  const receiverId = receiverInPath(url)
  const receiver = await findReceiver(receiverId)
  const isHere = receiverIdOf(url) !== null
  if (receiverId === null || (!isHere && !receiver)) throw new Refused('endpoint-elsewhere')
  // One receiver holds one secret, so a second endpoint at the same address gets its own address.
  if (receiver?.endpointUuid && receiver.endpointUuid !== endpointUuid.toLowerCase())
    return pointEndpointHere(endpointUuid)
  if (!isHere) {
    requireHttps()
    const asked = performance.now()
    await recordEndpointChange(
      await updateWebhookEndpoint(serviceClient(), endpointUuid, { url: receiverUrl(receiverId) }),
      asked,
    )
  }
  if (isHere || receiver?.state !== 'active') await fetchNewSecret(receiverId, endpointUuid)
}
