import 'server-only'
import { type AuditAction, type AuditEntry, recordAuditAlone } from '#lib/audit/record-audit.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { Invalid, Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { requireFreshSignIn } from '#lib/auth/require-fresh-sign-in.ts'
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
  /** Whether it ends a secret or stops deliveries: then it wants a fresh sign-in. */
  readonly destructive: boolean
  /** The endpoint, or the receiver that one is being made for. */
  readonly target: string
  readonly reason?: string
  /** What was asked for, to read later. */
  readonly details?: Record<string, string | readonly string[] | null>
}

/**
 * Every change of an endpoint goes through here: the role, a fresh sign-in, one change at a time, the audit before and
 * after, and the service's refusal in words. What cannot be written down is not begun; what was begun and has no
 * outcome in the audit was interrupted. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function performChange<T>(change: Change, work: () => Promise<T>): Promise<T> {
  requirePermission(change.caller, 'manage-endpoints')
  if (change.destructive) requireFreshSignIn(change.caller)
  try {
    const done = await withEndpointLock(change.target, async () => {
      await audit(change, 'begun')
      return work()
    })
    await auditOutcome(change, 'done')
    return done
  } catch (error) {
    await auditOutcome(change, outcomeOf(error), error)
    return inServiceWords(change.operation)(error)
  }
}

/** A secret that is shown once must not be lost with the line that says so: "begun" stands in the audit already. */
const auditOutcome = (change: Change, outcome: Outcome, error?: unknown) =>
  audit(change, outcome, error).catch((lost: unknown) =>
    console.error(
      `audit: ${change.action} of ${change.target} ended as ${outcome}, which was not kept:`,
      lost,
    ),
  )

type Outcome = AuditEntry['outcome']

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
  await recordAuditAlone(
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
