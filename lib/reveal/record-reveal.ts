import 'server-only'
import { type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { tellAdmins } from '#lib/notices/tell-admins.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'

/** Enters into the audit what is about to be shown, and tells the admins: both, or nothing is shown. */
export function recordReveal(
  caller: Caller,
  entry: Pick<AuditEntry, 'action' | 'target' | 'reason' | 'details'>,
  source: CallSource,
): Promise<void> {
  return inTransaction(pool(), async (tx) => {
    await recordAudit(tx, { ...entry, actor: caller, outcome: 'done' }, source)
    await tellAdmins(tx, { kind: 'data-revealed', actor: caller, onceADay: true })
  })
}
