import 'server-only'
import type { Caller, CallSource } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env, type SessionLifetime } from '#lib/platform/env.ts'
import { digestToken } from './token.ts'

/**
 * A session of this role lives this many minutes without use, and this many at most. For staff that is 30 minutes and 12
 * hours, if `STAFF_IDLE_MINUTES` and `STAFF_SESSION_MINUTES` are not set. It ends sooner by a sign-out
 * (of the person, an admin or the identity provider), a lost role, a removed member, a newer link or a restored backup.
 */
export function sessionLifetime(role: Role): SessionLifetime {
  const { staff, endUser } = env().sessions
  return role === 'end-user' ? endUser : staff
}

/** No session lives longer than this many minutes. */
export function longestMinutes(): number {
  const { staff, endUser } = env().sessions
  return Math.max(staff.longestMinutes, endUser.longestMinutes)
}

interface SessionTimes {
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly idleExpiresAt: Date
  readonly expiresAt: Date
}

/**
 * The session is locked without use, and ends at the latest, at these times in milliseconds; a role gained meanwhile counts.
 */
export function sessionEnds(
  row: SessionTimes,
  role: Role,
): { readonly idle: number; readonly latest: number } {
  const { idleMinutes, longestMinutes } = sessionLifetime(role)
  return {
    idle: Math.min(row.idleExpiresAt.getTime(), row.lastSeenAt.getTime() + idleMinutes * 60_000),
    latest: Math.min(row.expiresAt.getTime(), row.createdAt.getTime() + longestMinutes * 60_000),
  }
}

/** Further use within this many seconds is not recorded. */
const resolution = 20

/** The person has used the dashboard: the time without use starts again. The result is its new end in milliseconds. */
export async function touchSession({ sessionId, role, idleExpiresAt }: Caller): Promise<number> {
  const { rows } = await pool().query<{ until: Date }>(TOUCH, [
    sessionId,
    sessionLifetime(role).idleMinutes,
    resolution,
  ])
  return rows[0]?.until.getTime() ?? Date.parse(idleExpiresAt)
}

const TOUCH = `
  UPDATE session SET last_seen_at = clock_timestamp(),
                     idle_expires_at = clock_timestamp() + $2 * interval '1 minute'
  WHERE id = $1 AND ended_at IS NULL AND last_seen_at < clock_timestamp() - $3 * interval '1 second'
  RETURNING idle_expires_at AS until`

/**
 * The session of this token ends on the server, and its cookie becomes useless. The service has no logout
 * (§5.4), so its session id is deleted here.
 */
export async function endSession(
  token: string,
  why: 'signed-out' | 'replaced',
  source: CallSource,
): Promise<void> {
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ id: string; role: string }>(END, [digestToken(token), why])
    const [ended] = rows
    if (!ended) return
    await recordAudit(tx, { actor: ended, action: 'session.end', outcome: 'done', details: { why } }, source)
  })
}

const END = `
  UPDATE session SET ended_at = now(), end_reason = $2, service_session = NULL, service_key_id = NULL
  WHERE token_digest = $1 AND ended_at IS NULL
  RETURNING COALESCE(user_uuid, member_id)::text AS id, role`
