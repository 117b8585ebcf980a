import 'server-only'
import { type AuditAction, type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { Invalid, Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { requireFreshSignIn } from '#lib/auth/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { inServiceWords } from '#lib/auth/service-words.ts'
import { inTransaction, type Transaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { logOf } from '#lib/log.ts'
import { askStatus, settleStatus } from '#lib/receivers/status-changes.ts'
import type { ServiceOperation } from '#lib/service/error-words.ts'
import { ServiceError, surelyNotDone } from '#lib/service/errors.ts'
import { announceEndpointChanged } from './endpoint-changed.ts'
import { withEndpointLock } from './endpoint-lock.ts'

const log = logOf('endpoints')

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
  /** The status that is asked for, if one is. */
  readonly status?: 'active' | 'disabled'
}

/**
 * Every change of an endpoint goes through here: the role, a fresh sign-in, one change at a time, the audit before and
 * after, and the service's refusal in words. What cannot be written down is not begun; what was begun and has no
 * outcome in the audit was interrupted. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function performChange<T>(change: Change, work: () => Promise<T>): Promise<T> {
  requirePermission(change.caller, 'manage-endpoints')
  if (change.destructive) requireFreshSignIn(change.caller)
  let statusChange: string | undefined
  try {
    const done = await withEndpointLock(change.target, async () => {
      statusChange = await begin(change)
      return work()
    })
    await end(change, statusChange, 'done')
    return done
  } catch (error) {
    await end(change, statusChange, outcomeOf(error), error)
    return inServiceWords(change.operation)(error)
  }
}

/** Answers the id of the status change, if it is one. */
const begin = (change: Change): Promise<string | undefined> =>
  inTransaction(pool(), async (tx) => {
    await audit(tx, change, 'begun')
    return change.status && askStatus(tx, change.target, change.status)
  })

/** A secret that is shown once must not be lost with the line that says so: "begun" stands in the audit already. */
async function end(change: Change, statusChange: string | undefined, outcome: Outcome, error?: unknown) {
  const { action, target } = change
  try {
    await inTransaction(pool(), async (tx) => {
      if (statusChange !== undefined) await settleStatus(tx, statusChange, outcome)
      await audit(tx, change, outcome, error)
    })
  } catch (lost) {
    log.error({ action, target, outcome, err: lost }, 'How a change ended was not kept in the audit')
  }
  await announceEndpointChanged(pool(), target).catch((lost: unknown) =>
    log.warn(
      { action, target, err: lost },
      'The watcher was not told of a change, and looks within a minute',
    ),
  )
}

type Outcome = Exclude<AuditEntry['outcome'], 'begun'>

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Refused || error instanceof Invalid) return 'refused'
  return surelyNotDone(error) ? 'failed' : 'unsure'
}

async function audit(
  tx: Transaction,
  { caller, source, action, target, reason, details }: Change,
  outcome: AuditEntry['outcome'],
  error?: unknown,
) {
  const why = error instanceof ServiceError ? { error: error.code, said: error.serviceMessage } : {}
  await recordAudit(
    tx,
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
