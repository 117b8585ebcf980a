import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { RequestContext } from '#lib/access/request-context.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isEnoughForStaff } from '../members/is-enough-for-staff.ts'
import { digestToken } from '../sessions/token.ts'
import { joinTeam } from './finish-set-up.ts'

/**
 * Whoever opened a link has signed in as a user of the service, and is a member as that user from now on, where that is
 * enough for staff. Somebody who is a member already stays what they are.
 * @param token of the session that was opened just now
 */
export async function joinAsUser(settingUp: Caller, token: string, context: RequestContext): Promise<void> {
  try {
    await inTransaction(pool(), async (tx) => {
      const { rows } = await tx.query<{ user_uuid: string; method: 'wallet' | 'code' }>(SESSION, [
        digestToken(token),
      ])
      const [session] = rows
      if (!session || !isEnoughForStaff(session.method)) return
      await tx.query(FORGET_REMOVED, [session.user_uuid])
      await tx.query(BIND, [settingUp.memberId, session.user_uuid])
      const { memberId } = await joinTeam(tx, settingUp, session.method, context)
      await tx.query('UPDATE session SET member_id = $2 WHERE token_digest = $1', [
        digestToken(token),
        memberId,
      ])
    })
  } catch (error) {
    // The link was withdrawn or used meanwhile: they are signed in as the user that they are.
    if (!(error instanceof Refused)) throw error
  }
}

/** Nothing for whoever is a member. */
const SESSION = `
  SELECT user_uuid, method FROM session
  WHERE token_digest = $1 AND user_uuid IS NOT NULL AND member_id IS NULL`

const FORGET_REMOVED = 'UPDATE member SET user_uuid = NULL WHERE user_uuid = $1 AND removed_at IS NOT NULL'

const BIND = `
  UPDATE member SET user_uuid = $2, name = COALESCE(NULLIF(name, ''), (
    SELECT COALESCE(NULLIF(concat_ws(' ', first_name, last_name), ''), email) FROM person WHERE user_uuid = $2
  ), 'Member')
  WHERE id = $1 AND joined_at IS NULL`
