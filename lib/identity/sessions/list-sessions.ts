import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { deviceLabel } from '../labels/device-label.ts'
import { parseSignInMethod, type SignInMethod } from '../rules/sign-in-method.ts'

/** A session as its owner, or an admin, sees it. Times are ISO 8601. */
export interface SessionView {
  readonly id: string
  /** Browser and system, as the browser says. */
  readonly device: string
  readonly ip: string | null
  readonly method: SignInMethod | null
  readonly signedInAt: string
  readonly lastSeenAt: string
  /** Whether it is the one that asks. */
  readonly current: boolean
}

/** Whose sessions: a user's of the service, a member's, or of somebody who is both. */
export interface SessionOwner {
  readonly userUuid: string | null
  readonly memberId: string | null
}

/** The caller's own sessions that stand, the last used first. */
export const listOwnSessions = (caller: Caller): Promise<SessionView[]> =>
  listSessionsOf(caller, caller.sessionId)

/** For use cases that have checked who asks. */
export async function listSessionsOf(
  { userUuid, memberId }: SessionOwner,
  current: string | null = null,
): Promise<SessionView[]> {
  const { rows } = await pool().query<SessionRow>(LIST, [userUuid, memberId])
  return rows.map(({ id, user_agent, ip, method, signed_in_at, seen_at }) => ({
    id,
    device: deviceLabel(user_agent),
    ip,
    method: parseSignInMethod(method),
    signedInAt: signed_in_at.toISOString(),
    lastSeenAt: seen_at.toISOString(),
    current: id === current,
  }))
}

interface SessionRow {
  readonly id: string
  readonly user_agent: string | null
  readonly ip: string | null
  readonly method: string
  readonly signed_in_at: Date
  readonly seen_at: Date
}

/**
 * Whoever confirms who they are was seen then; that they were seen is written down more rarely. A session whose owner proved
 * it before, at the provider of single sign-on, began later.
 */
const LIST = `
  SELECT id, user_agent, ip, method, GREATEST(signed_in_at, created_at) AS signed_in_at, GREATEST(last_seen_at, signed_in_at) AS seen_at FROM session
  WHERE (user_uuid = $1 OR member_id = $2) AND ended_at IS NULL
    AND LEAST(idle_expires_at, expires_at) > clock_timestamp()
  ORDER BY seen_at DESC, id`
