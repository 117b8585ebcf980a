import { pool } from '#lib/platform/db/pool.ts'

/** Column of a `SELECT … FROM audit`: why, as it stands beside the entry. */
export const auditReason = '(SELECT text FROM audit_reason WHERE entry_id = audit.id) AS reason'

/** The entries about something, the oldest first, with their reasons. */
export const auditAbout = async (target: string) =>
  (
    await pool().query(
      `SELECT action, outcome, actor, details, ${auditReason} FROM audit WHERE target = $1 ORDER BY id`,
      [target],
    )
  ).rows
