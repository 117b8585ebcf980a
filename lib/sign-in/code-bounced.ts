import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import { EmailAddress } from './email-address.ts'

export const CodeBouncedForm = z.object({ email: EmailAddress })

/** Whether the mail with the latest code is known to have bounced (§6.6); always `false` to a browser we do not know. */
export async function codeBounced(
  _form: z.output<typeof CodeBouncedForm>,
  _context: ActionContext,
): Promise<{ readonly bounced: boolean }> {
  throw new Error('not yet')
}
