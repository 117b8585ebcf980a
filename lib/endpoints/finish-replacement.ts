import 'server-only'
import { z } from 'zod'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { deleteAtService } from './delete-at-service.ts'
import { aboutOneEndpoint, endpointCommand } from './endpoint-command.ts'
import { EndpointUuidSchema, SeenSecretSchema } from './endpoint-forms.ts'
import { deleteSecretHandoff, findSecretHandoff, markSecretDeployed, requireSameSecret } from './secret-handoff-store.ts'

export const FinishReplacementSchema = z.object({
  endpointUuid: EndpointUuidSchema,
  reason: ReasonSchema,
  seen: SeenSecretSchema,
})

/**
 * The secret of the second endpoint, `endpointUuid`, is deployed: the one that it replaces is deleted. Interrupted,
 * the same again ends it. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export const finishReplacement = endpointCommand<
  z.output<typeof FinishReplacementSchema>,
  { readonly endpointUuid: string; readonly replaced: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.finish-replacement',
  operation: 'delete-endpoint',
  needsFreshSignIn: true,
  notice: () => ({ kind: 'endpoint-deleted' }),
  involves: ({ replaced }) => ({ endpointUuid: replaced, gone: true }),
  noLongerOff: ({ replaced }) => replaced,
  async perform({ endpointUuid, seen }, { lockAlso, note }) {
    const handoff = await findSecretHandoff(endpointUuid)
    if (!handoff?.replaces) throw new Refused(nothingToFinish)
    const { replaces, state } = handoff
    note({ replaces })
    if (state === 'requested') throw new Refused(neverShown)
    requireSameSecret(handoff, seen)
    await lockAlso(replaces)
    await markSecretDeployed(endpointUuid)
    await deleteAtService(replaces)
    await deleteSecretHandoff(endpointUuid)
    return { endpointUuid, replaced: replaces }
  },
})

const nothingToFinish = {
  title: 'This endpoint replaces no other.',
  next: 'Nothing was changed. Its replacement may have been finished already: look at the list of endpoints.',
}
const neverShown = {
  title: 'Nobody has seen the secret of this endpoint.',
  next: 'Nothing was changed. Rotate its secret, deploy the one that is shown, and confirm then.',
}
