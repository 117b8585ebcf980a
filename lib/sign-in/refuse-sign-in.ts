import 'server-only'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import type { SignInMethod } from '#lib/domain/sign-in/sign-in-method.ts'
import type { SignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'
import type { RequestContext } from '#lib/request/request-context.ts'
import type { SignInOutcome } from './complete-sign-in.ts'

/** Writes the refusal down, and answers it. `target`: a user or a member; null when nobody of ours is meant. */
export async function refuseSignIn(
  why: SignInRefusal,
  method: SignInMethod,
  target: string | null,
  context: RequestContext,
): Promise<SignInOutcome> {
  await recordAuditAlone(
    {
      actor: null,
      action: 'session.start',
      outcome: 'refused',
      details: { method, why },
      ...(target === null ? {} : { target }),
    },
    context,
  )
  return { kind: 'refused', why }
}
