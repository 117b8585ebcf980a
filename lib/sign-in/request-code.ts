import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import { EmailAddress } from './email-address.ts'

export const RequestCodeForm = z.object({ email: EmailAddress })

export interface RequestedCode {
  readonly email: string
  /** Seconds until another code can be asked for. */
  readonly resendInSeconds: number
}

export async function requestCode(
  _form: z.output<typeof RequestCodeForm>,
  _context: ActionContext,
): Promise<RequestedCode> {
  throw new Error('not yet')
}
