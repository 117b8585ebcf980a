import 'server-only'
import { z } from 'zod'
import { Refused } from '#lib/platform/refusals.ts'
import { aboutOneEndpoint, endpointCommand } from './endpoint-command.ts'
import { EndpointUuidSchema, SeenSecretSchema } from './endpoint-forms.ts'
import { deleteSecretHandoff, findSecretHandoff, requireSameSecret } from './secret-handoff-store.ts'

export const ConfirmSecretSchema = z.object({ endpointUuid: EndpointUuidSchema, seen: SeenSecretSchema })

/** The admin has the secret that was shown; the page need not ask any more. Throws `NotAllowed` and `Refused`. */
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
    if (handoff?.state !== 'shown' || handoff.replaces) throw new Refused(nothingShown)
    requireSameSecret(handoff, seen)
    await deleteSecretHandoff(endpointUuid)
    return { endpointUuid }
  },
})

const nothingShown = {
  title: 'There is no secret to confirm.',
  next: 'Reload the page to see where its secret stands.',
}
