import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { EndpointUuid } from './endpoint-forms.ts'
import { findHandover, forgetHandover } from './handover-store.ts'
import { performChange } from './perform-change.ts'

export const ConfirmSecretForm = z.object({ endpointUuid: EndpointUuid })

/** The admin has the secret that was shown; the page need not ask any more. Throws `NotAllowed` and `Refused`. */
export async function confirmSecret(
  caller: Caller,
  { endpointUuid }: z.output<typeof ConfirmSecretForm>,
  source: CallSource,
): Promise<{ readonly endpointUuid: string }> {
  const change = {
    caller,
    source,
    action: 'endpoint.confirm-secret',
    operation: 'get-endpoint',
    destructive: false,
    target: endpointUuid,
  } as const
  return performChange(change, async () => {
    const handover = await findHandover(endpointUuid)
    if (handover?.state !== 'shown' || handover.replaces) throw new Refused(nothingShown)
    await forgetHandover(endpointUuid)
    return { endpointUuid }
  })
}

const nothingShown = {
  title: 'There is no secret to confirm.',
  next: 'Reload the page to see where its secret stands.',
}
