import 'server-only'
import type pg from 'pg'
import type { Caller } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { AuditAction, AuditEntry } from './record-audit.ts'

/** What is entered once a minute for each person and thing, with how often it happened. */
export interface CountedEntry {
  readonly action: Extract<AuditAction, `read.${string}` | 'access.denied' | 'search'>
  /** What was read or asked for; for all of it, nothing. */
  readonly target?: string
  /** Whose data was read, where somebody is known. */
  readonly person?: string | null
  readonly outcome: Extract<AuditEntry['outcome'], 'done' | 'refused'>
}

/**
 * Counts more of the same; `enterCounted` enters the minute into the audit when it is over.
 * @param caller null for somebody who is not signed in
 */
export async function countAudit(
  caller: Caller | null,
  { action, target = '', person = null, outcome }: CountedEntry,
  times = 1,
  database: Pick<pg.Pool, 'query'> = pool(),
): Promise<void> {
  const who = [caller?.id ?? nobody, caller?.role ?? '', caller?.sessionId ?? null]
  await database.query(COUNT, [...who, action, target.slice(0, 300), outcome, times, person])
}

/** Stands in the counter for an actor whom nobody knows. */
export const nobody = ''

const COUNT = `
  INSERT INTO audit_counter (minute, actor, actor_role, session_id, action, target, outcome, count, person)
  VALUES (date_trunc('minute', now()), $1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (minute, actor, action, target) DO UPDATE SET count = audit_counter.count + EXCLUDED.count,
    person = COALESCE(EXCLUDED.person, audit_counter.person)`
