import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { sessionLifetime } from './session-lifetime.ts'

/** Seconds within which further use is not written down. */
const resolution = 20

/** The person has used the dashboard: the time without use starts over. Answers when it ends now, in milliseconds. */
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
