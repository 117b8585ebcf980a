import 'server-only'
import type pg from 'pg'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { nobody } from './count-audit.ts'
import { type AuditEntry, recordAudit } from './record-audit.ts'

/** Rows of one transaction. */
const portion = 500

/**
 * Enters what was counted in minutes that are over into the audit, a row for each minute, person and thing. What is counted
 * and not entered yet survives any end of the program.
 * @returns how many entries it made
 */
export async function enterCounted(pool: pg.Pool): Promise<number> {
  for (let entered = 0; ; ) {
    const taken = await inTransaction(pool, async (tx) => {
      const { rows } = await tx.query<CountedRow>(TAKE, [portion])
      for (const row of rows) await recordAudit(tx, entryOf(row), { ip: row.ip, userAgent: row.user_agent })
      return rows.length
    })
    entered += taken
    if (taken < portion) return entered
  }
}

interface CountedRow {
  readonly minute: Date
  readonly actor: string
  readonly actor_role: string
  readonly action: AuditEntry['action']
  readonly target: string
  readonly person: string | null
  readonly outcome: AuditEntry['outcome']
  readonly count: number
  readonly ip: string | null
  readonly user_agent: string | null
}

const entryOf = ({
  minute,
  actor,
  actor_role,
  action,
  target,
  person,
  outcome,
  count,
}: CountedRow): AuditEntry => ({
  actor: actor === nobody ? null : { id: actor, role: actor_role },
  action,
  ...(target === '' ? {} : { target }),
  outcome,
  details: { count, minute: minute.toISOString(), ...(person !== null && { person }) },
})

/** From where: as the session was opened. */
const TAKE = `
  WITH taken AS (
    DELETE FROM audit_counter WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM audit_counter WHERE minute < date_trunc('minute', now())
      ORDER BY minute LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING *
  )
  SELECT taken.*, session.ip, session.user_agent FROM taken LEFT JOIN session ON session.id = taken.session_id
  ORDER BY minute, actor, action, target`
