import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { lockTeam } from '../members/lock-team.ts'

interface Move {
  readonly from: string
  readonly to: string
  readonly reason: string
}

/**
 * The provider has moved: members who signed in at one issuer are found at another from now on, by the same
 * subjects. All admins are notified. The result counts the moved members and names those who stay, because
 * another member has the same subject there already.
 */
export const moveIssuer = (
  pool: pg.Pool,
  { from, to, reason }: Move,
): Promise<{ readonly moved: number; readonly stay: readonly string[] }> =>
  inTransaction(pool, async (tx) => {
    await lockTeam(tx)
    const { rowCount } = await tx.query(MOVE, [from, to])
    const moved = rowCount ?? 0
    const { rows } = await tx.query<{ name: string }>(STAY, [from])
    if (moved > 0) {
      const entry = { actor: commandLine, action: 'member.move-issuer', outcome: 'done', reason } as const
      await recordAudit(tx, { ...entry, details: { before: from, after: to, members: moved } }, noCallSource)
      const facts = { members: String(moved), from, to }
      await tellAdmins(tx, { kind: 'issuer-moved', actor: { id: commandLine.id }, reason, facts })
    }
    return { moved, stay: rows.map(({ name }) => name) }
  })

/** The issuers at which members sign in come with the most common first. */
export const listIssuers = async (pool: pg.Pool) =>
  (await pool.query<{ issuer: string; members: number }>(ISSUERS)).rows

const MOVE = `
  UPDATE member SET sso_issuer = $2
  WHERE sso_issuer = $1 AND NOT EXISTS (
    SELECT FROM member AS other WHERE other.sso_issuer = $2 AND other.sso_subject = member.sso_subject)`

const STAY = 'SELECT name FROM member WHERE sso_issuer = $1 ORDER BY name'

const ISSUERS = `
  SELECT sso_issuer AS issuer, count(*)::int AS members FROM member
  WHERE sso_issuer IS NOT NULL AND removed_at IS NULL GROUP BY 1 ORDER BY 2 DESC, 1`
