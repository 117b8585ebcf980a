import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { EndpointUuid, Reason, SubscribedEvents, UrlElsewhere } from './endpoint-forms.ts'

export const ChangeEndpointForm = z.object({
  endpointUuid: EndpointUuid,
  to: z.enum(['same', 'here', 'elsewhere']).default('same'),
  url: UrlElsewhere.optional(),
  subscribedEvents: SubscribedEvents,
  reason: Reason,
})

export async function changeEndpoint(
  _caller: Caller,
  _form: z.output<typeof ChangeEndpointForm>,
  _context: ActionContext,
): Promise<{ readonly endpointUuid: string }> {
  throw new Error('not yet')
}
