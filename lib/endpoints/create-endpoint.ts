import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { Description, SubscribedEvents, UrlElsewhere } from './endpoint-forms.ts'

const shared = { description: Description, subscribedEvents: SubscribedEvents }

export const CreateEndpointForm = z.discriminatedUnion(
  'to',
  [
    z.object({ to: z.literal('here'), receiverId: z.uuid(), ...shared }),
    z.object({ to: z.literal('elsewhere'), url: UrlElsewhere, ...shared }),
  ],
  'Choose where it delivers to.',
)

export interface CreatedEndpoint {
  readonly endpointUuid: string
  readonly url: string
  /** To be shown once, for an endpoint elsewhere; null for this dashboard's own. */
  readonly signingSecret: string | null
}

export async function createEndpoint(
  _caller: Caller,
  _form: z.output<typeof CreateEndpointForm>,
  _context: ActionContext,
): Promise<CreatedEndpoint> {
  throw new Error('not yet')
}
