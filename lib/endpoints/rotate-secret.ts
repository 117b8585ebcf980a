import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { EndpointUuid, Reason, SubscribedEvents, UrlElsewhere } from './endpoint-forms.ts'

export const RotateSecretForm = z.object({ endpointUuid: EndpointUuid, reason: Reason })

export async function rotateSecret(
  _caller: Caller,
  _form: z.output<typeof RotateSecretForm>,
  _context: ActionContext,
): Promise<{ readonly endpointUuid: string; readonly signingSecret: string | null }> {
  throw new Error('not yet')
}
