import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { type AuditEntry, type AuditFacts, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'

interface Reveal extends Pick<AuditEntry, 'action' | 'target' | 'reason'> {
  /** With whose data it is; null when nobody is known. */
  readonly details: AuditFacts & { readonly person: string | null }
}

/**
 * Enters into the audit what is about to be shown, and tells the admins of it, once a day for each person whose data it is:
 * both, or nothing is shown.
 */
export function recordReveal(caller: Caller, reveal: Reveal, source: CallSource): Promise<void> {
  const { person } = reveal.details
  return inTransaction(pool(), async (tx) => {
    await recordAudit(tx, { ...reveal, actor: caller, outcome: 'done' }, source)
    await tellAdmins(tx, {
      kind: 'data-revealed',
      actor: caller,
      ...(person !== null && { about: person }),
      facts: { person: person === null ? 'somebody unknown' : `user ${person}` },
      onceADay: true,
    })
  })
}
