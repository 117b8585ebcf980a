import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { EndpointUuid, Reason, SubscribedEvents, UrlElsewhere } from './endpoint-forms.ts'

export const TakeOverForm = z.object({ endpointUuid: EndpointUuid })

export async function takeOver(
  _caller: Caller,
  _form: z.output<typeof TakeOverForm>,
  _context: ActionContext,
): Promise<{ readonly endpointUuid: string }> {
  throw new Error('not yet')
}
