import 'server-only'
import { type AuditAction, recordAudit } from '#lib/audit/record-audit.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { Invalid, Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { inServiceWords } from '#lib/auth/service-words.ts'
import type { ServiceOperation } from '#lib/service/error-words.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { withEndpointLock } from './endpoint-lock.ts'

export interface Change {
  readonly caller: Caller
  readonly source: CallSource
  readonly action: AuditAction
  readonly operation: ServiceOperation
  /** The endpoint, or the receiver that one is being made for. */
  readonly target: string
  readonly reason?: string
  /** What was asked for, to read later. */
  readonly details?: Record<string, string | readonly string[] | null>
}

/**
 * Every change of an endpoint goes through here: the role, one change at a time, the audit whatever comes of it,
 * and the service's refusal in words. Throws `NotAllowed` and `Refused`.
 */
export async function performChange<T>(change: Change, work: () => Promise<T>): Promise<T> {
  requirePermission(change.caller, 'manage-endpoints')
  try {
    const done = await withEndpointLock(change.target, work)
    await audit(change, 'done')
    return done
  } catch (error) {
    await audit(change, outcomeOf(error), error)
    return inServiceWords(change.operation)(error)
  }
}

type Outcome = 'done' | 'refused' | 'failed' | 'unsure'

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Refused || error instanceof Invalid) return 'refused'
  return error instanceof ServiceError && !error.mayHaveTakenEffect ? 'failed' : 'unsure'
}

async function audit(
  { caller, source, action, target, reason, details }: Change,
  outcome: Outcome,
  error?: unknown,
) {
  const why = error instanceof ServiceError ? { error: error.code, said: error.serviceMessage } : {}
  await recordAudit(
    {
      actor: caller,
      action,
      target,
      outcome,
      details: { ...details, ...why },
      ...(reason ? { reason } : {}),
    },
    source,
  )
}
