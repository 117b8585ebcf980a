import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { listEndpoints } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { type CreatedEndpoint, createElsewhere } from './create-elsewhere.ts'
import { EndpointUuid, Reason, UrlElsewhere } from './endpoint-forms.ts'
import { isBeingReplaced, settleCreations } from './handover-store.ts'
import { receiverOf } from './own-address.ts'
import { performChange } from './perform-change.ts'

export const ReplaceEndpointForm = z.object({
  endpointUuid: EndpointUuid,
  url: UrlElsewhere,
  reason: Reason,
})

/**
 * Replaces an endpoint elsewhere without a gap: makes a second one, with a secret of its own that is shown once. Both
 * deliver until `finishReplacement` deletes the old one. Throws `NotAllowed` and `Refused`.
 * ASSUMED: two endpoints may have the same url (§4.2 does not forbid it); the form offers another.
 */
export async function replaceEndpoint(
  caller: Caller,
  { endpointUuid, url, reason }: z.output<typeof ReplaceEndpointForm>,
  source: CallSource,
): Promise<CreatedEndpoint> {
  const change = {
    caller,
    source,
    action: 'endpoint.replace',
    operation: 'create-endpoint',
    destructive: false,
    target: endpointUuid,
    reason,
    details: { url },
  } as const
  return performChange(change, async () => {
    const listed = await listEndpoints(service())
    await settleCreations(listed, new Date())
    const old = listed.find(({ uuid }) => uuid.toLowerCase() === endpointUuid)
    if (!old) throw new Refused(gone)
    if (receiverOf(old.url) !== null) throw new Refused(here)
    if (await isBeingReplaced(endpointUuid)) throw new Refused(begun)
    const asked = {
      url,
      description: old.description || 'Replacement',
      subscribedEvents: old.subscribedEvents ?? undefined,
    }
    return createElsewhere(asked, endpointUuid, listed)
  })
}

const gone = {
  title: 'The service does not know this endpoint any more.',
  next: 'Nothing was changed. Look at the list of endpoints.',
}
const here = {
  title: 'This endpoint delivers to this dashboard.',
  next: 'Nothing was changed. Rotate its secret: the dashboard takes the new one over without a gap.',
}
const begun = {
  title: 'This endpoint is being replaced already.',
  next: 'Nothing was changed. Open the endpoint that replaces it to go on, or delete that one to begin anew.',
}
