import { pool } from '#lib/platform/db/pool.ts'

/** The column of a `SELECT … FROM audit` holds the reason that is stored beside the entry. */
export const auditReason = '(SELECT text FROM audit_reason WHERE entry_id = audit.id) AS reason'

/** The entries about a target are listed oldest first, with their reasons. */
export const auditAbout = async (target: string) =>
  (
    await pool().query(
      `SELECT action, outcome, actor, details, ${auditReason} FROM audit WHERE target = $1 ORDER BY id`,
      [target],
    )
  ).rows
