import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { EndpointUuid, Reason, SubscribedEvents, UrlElsewhere } from './endpoint-forms.ts'

export const SetStatusForm = z.object({
  endpointUuid: EndpointUuid,
  status: z.enum(['active', 'disabled']),
  reason: Reason,
})

export async function setStatus(
  _caller: Caller,
  _form: z.output<typeof SetStatusForm>,
  _context: ActionContext,
): Promise<{ readonly endpointUuid: string; readonly status: string }> {
  throw new Error('not yet')
}
