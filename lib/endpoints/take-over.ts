import 'server-only'
import { z } from 'zod'
import { Refused } from '#lib/auth/refusals.ts'
import { getEndpoint, updateEndpoint } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { aboutOneEndpoint, endpointCommand } from './endpoint-command.ts'
import { EndpointUuid } from './endpoint-forms.ts'
import { fetchNewSecret } from './fetch-new-secret.ts'
import { moveHere } from './move-here.ts'
import { ownAddress, receiverInPath, receiverOf, requireSecureAddress } from './own-address.ts'
import { noteChange } from './receiver-periods.ts'
import { findReceiver } from './receiver-store.ts'

export const TakeOverForm = z.object({ endpointUuid: EndpointUuid })

/**
 * Repairs, by one click, an endpoint whose deliveries cannot be checked or do not arrive: rotates the secret that was
 * lost with an answer, and re-points an url from before the public address changed. Throws `NotAllowed`, `SignInAgain`
 * and `Refused`.
 */
export const takeOver = endpointCommand<z.output<typeof TakeOverForm>, { readonly endpointUuid: string }>({
  ...aboutOneEndpoint,
  action: 'endpoint.take-over',
  operation: 'rotate-secret',
  needsFreshSignIn: true,
  async perform({ endpointUuid }) {
    await repair(endpointUuid)
    return { endpointUuid }
  },
})

async function repair(endpointUuid: string) {
  const { url } = await getEndpoint(service(), endpointUuid)
  const receiverId = receiverInPath(url)
  const receiver = await findReceiver(receiverId)
  const isHere = receiverOf(url) !== null
  if (receiverId === null || (!isHere && !receiver)) throw new Refused(notOurs)
  // One receiver holds one secret: a second endpoint at the same address gets an address of its own.
  if (receiver?.endpointUuid && receiver.endpointUuid !== endpointUuid.toLowerCase())
    return moveHere(endpointUuid)
  if (!isHere) {
    requireSecureAddress()
    const asked = performance.now()
    await noteChange(await updateEndpoint(service(), endpointUuid, { url: ownAddress(receiverId) }), asked)
  }
  if (isHere || receiver?.state !== 'active') await fetchNewSecret(receiverId, endpointUuid)
}

const notOurs = {
  title: 'This endpoint delivers elsewhere.',
  next: 'Nothing was changed. To have it deliver here, change its address to “this dashboard”.',
}
