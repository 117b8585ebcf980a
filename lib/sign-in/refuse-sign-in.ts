import 'server-only'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import type { RequestContext } from '#lib/auth/request-context.ts'
import type { SignInRefusal } from '#lib/domain/sign-in-refusal.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { explainUnauthorized } from '#lib/service/explain-unauthorized.ts'
import { service } from '#lib/service-connection.ts'
import type { SignInOutcome } from './finish-sign-in.ts'

/** Writes the refusal down, and answers it. `userUuid` is null when nobody of ours is meant. */
export async function refuseSignIn(
  why: SignInRefusal,
  method: 'wallet' | 'code',
  userUuid: string | null,
  context: RequestContext,
): Promise<SignInOutcome> {
  await recordAuditAlone(
    {
      actor: null,
      action: 'session.start',
      outcome: 'refused',
      details: { method, why },
      ...(userUuid === null ? {} : { target: userUuid }),
    },
    context,
  )
  return { kind: 'refused', why }
}

/**
 * Why the service did not sign somebody in, as one of our codes. A 401 can also mean that the API key is refused.
 * @param refusal what 401 and 404 mean for this way of signing in (§7)
 */
export async function explainRefusal(
  error: unknown,
  refusal: { readonly unauthorized: SignInRefusal; readonly unknown: SignInRefusal },
): Promise<SignInRefusal> {
  if (!(error instanceof ServiceError)) throw error
  switch (error.code) {
    case 'unauthorized':
    case 'not-found': {
      const why = await explainUnauthorized(service()).catch(() => 'no-answer')
      if (why !== 'session-ended') return why === 'key-refused' ? why : 'service-unavailable'
      return error.code === 'unauthorized' ? refusal.unauthorized : refusal.unknown
    }
    case 'invalid':
    case 'rejected':
    case 'conflict':
      return refusal === walletRefusals ? 'message-refused' : refusal.unauthorized
    case 'too-many':
      return 'service-busy'
    case 'forbidden':
    case 'unavailable':
    case 'timed-out':
    case 'unreachable':
    case 'nonsense':
    case 'cancelled':
      return 'service-unavailable'
  }
}

export const walletRefusals = { unauthorized: 'wrong-wallet', unknown: 'unknown-wallet' } as const
export const codeRefusals = { unauthorized: 'code-refused', unknown: 'code-refused' } as const
