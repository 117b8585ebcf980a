import 'server-only'
import { z } from 'zod'
import { closeReceiversOf, findOpenReceiver, findReceiver } from '#lib/deliveries/receivers/receiver-store.ts'
import { receiverIdOf, receiverInPath } from '#lib/platform/addresses/public-address.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import {
  aboutOneEndpoint,
  EndpointUuidSchema,
  endpointCommand,
  SeenSecretSchema,
  undoIfSurelyNotDone,
} from './endpoint-command.ts'
import { fetchNewSecret, isOfAnother, pointEndpointHere } from './repair-endpoint.ts'
import {
  beginHandoff,
  deleteSecretHandoff,
  findSecretHandoff,
  markSecretShown,
  requireSameSecret,
} from './secret-handoff-store.ts'

export const RotateSecretSchema = z.object({ endpointUuid: EndpointUuidSchema, reason: ReasonSchema })

interface RotatedSecret {
  readonly endpointUuid: string
  /** The page shows the secret once, for an endpoint elsewhere; null for an endpoint of this dashboard. */
  readonly signingSecret: string | null
}

/**
 * The secret is replaced, and the previous one stops being valid (§4.2). Throws `NotAllowed`, `SignInAgain` and
 * `Refused`.
 */
export const rotateSecret = endpointCommand<z.output<typeof RotateSecretSchema>, RotatedSecret>({
  ...aboutOneEndpoint,
  action: 'endpoint.rotate-secret',
  operation: 'rotate-secret',
  needsFreshSignIn: true,
  notice: () => ({ kind: 'secret-rotated' }),
  involves: ({ endpointUuid, signingSecret }) => ({
    endpointUuid,
    newSecret: true,
    sawSecret: signingSecret !== null,
  }),
  async perform({ endpointUuid }, running) {
    const { url } = await endpoints.getWebhookEndpoint(serviceClient(), endpointUuid)
    const here = receiverIdOf(url)
    const receiver = here === null ? await findOpenReceiver(receiverInPath(url)) : await findReceiver(here)
    const receiverId = here ?? receiver?.id
    if (receiverId === undefined) return rotateElsewhere(endpointUuid)
    if (isOfAnother(receiver, endpointUuid)) await pointEndpointHere(endpointUuid, running)
    else await fetchNewSecret(receiverId, endpointUuid)
    return { endpointUuid, signingSecret: null }
  },
})

/** The endpoint may have had a receiver here before it was pointed elsewhere; that receiver is closed. */
async function rotateElsewhere(endpointUuid: string): Promise<RotatedSecret> {
  const undo = await beginHandoff(endpointUuid)
  const { signingSecret } = await endpoints
    .rotateWebhookSecret(serviceClient(), endpointUuid)
    .catch(undoIfSurelyNotDone(undo))
  await markSecretShown(endpointUuid)
  await closeReceiversOf(endpointUuid).catch(notClosed)
  return { endpointUuid, signingSecret }
}

/** A failed write must not lose a secret that is shown only once. */
const notClosed = noting(logOf('endpoints'))(
  'error',
  'An earlier secret of an endpoint elsewhere still opens its receiver',
)

export const ConfirmSecretSchema = z.object({ endpointUuid: EndpointUuidSchema, seen: SeenSecretSchema })

/** The admin has the secret that was shown, so the page stops asking. Throws `NotAllowed` and `Refused`. */
export const confirmSecret = endpointCommand<
  z.output<typeof ConfirmSecretSchema>,
  { readonly endpointUuid: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.confirm-secret',
  operation: 'get-endpoint',
  needsFreshSignIn: false,
  async perform({ endpointUuid, seen }) {
    const handoff = await findSecretHandoff(endpointUuid)
    if (handoff?.state !== 'shown' || handoff.replaces) throw new Refused('no-secret-to-confirm')
    requireSameSecret(handoff, seen)
    await deleteSecretHandoff(endpointUuid)
    return { endpointUuid }
  },
})
