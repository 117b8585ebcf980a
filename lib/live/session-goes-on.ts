import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { pool } from '#lib/db/pool.ts'
import { findMembership } from '#lib/team/find-membership.ts'

/** Whether the session of an open stream still stands, with the same role. Unlike a request, it keeps no session alive. */
export async function sessionGoesOn(caller: Caller): Promise<boolean> {
  const { rowCount } = await pool().query(
    'SELECT FROM session WHERE id = $1 AND ended_at IS NULL AND idle_expires_at > now() AND expires_at > now()',
    [caller.sessionId],
  )
  return rowCount === 1 && (await findMembership(caller.userUuid)).role === caller.role
}
