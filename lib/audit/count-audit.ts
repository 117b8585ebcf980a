import 'server-only'
import { pool } from '#lib/db/pool.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { AuditAction, AuditEntry } from './record-audit.ts'

/** What is entered once a minute for each person and thing, with how often it happened. */
export interface CountedEntry {
  readonly action: Extract<AuditAction, `read.${string}` | 'access.denied' | 'search'>
  /** What was read or asked for; for all of it, nothing. */
  readonly target?: string
  readonly outcome: Extract<AuditEntry['outcome'], 'done' | 'refused'>
}

/** Counts one more; `enterCounted` enters the minute into the audit when it is over. */
export async function countAudit(
  { id, role, sessionId }: Caller,
  { action, target = '', outcome }: CountedEntry,
): Promise<void> {
  await pool().query(COUNT, [id, role, action, target.slice(0, 300), outcome, sessionId])
}

const COUNT = `
  INSERT INTO audit_counter (minute, actor, actor_role, action, target, outcome, session_id, count)
  VALUES (date_trunc('minute', now()), $1, $2, $3, $4, $5, $6, 1)
  ON CONFLICT (minute, actor, action, target) DO UPDATE SET count = audit_counter.count + 1`
