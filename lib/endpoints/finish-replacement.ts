import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { EndpointUuid, Reason } from './endpoint-forms.ts'
import { findHandover, forgetHandover, noteDeployed } from './handover-store.ts'
import { performChange } from './perform-change.ts'
import { removeEndpoint } from './remove-endpoint.ts'

export const FinishReplacementForm = z.object({ endpointUuid: EndpointUuid, reason: Reason })

/**
 * The secret of the second endpoint, `endpointUuid`, is deployed: the one that it replaces is deleted. Interrupted,
 * the same again ends it. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function finishReplacement(
  caller: Caller,
  { endpointUuid, reason }: z.output<typeof FinishReplacementForm>,
  source: CallSource,
): Promise<{ readonly endpointUuid: string }> {
  const change = {
    caller,
    source,
    action: 'endpoint.finish-replacement',
    operation: 'delete-endpoint',
    destructive: true,
    target: endpointUuid,
    reason,
  } as const
  return performChange(change, async () => {
    const handover = await findHandover(endpointUuid)
    if (!handover?.replaces) throw new Refused(nothingToFinish)
    if (handover.state === 'asked') throw new Refused(neverShown)
    await noteDeployed(endpointUuid)
    await removeEndpoint(handover.replaces)
    await forgetHandover(endpointUuid)
    return { endpointUuid }
  })
}

const nothingToFinish = {
  title: 'This endpoint replaces no other.',
  next: 'Nothing was changed. Its replacement may have been finished already: look at the list of endpoints.',
}
const neverShown = {
  title: 'Nobody has seen the secret of this endpoint.',
  next: 'Nothing was changed. Rotate its secret, deploy the one that is shown, and confirm then.',
}
