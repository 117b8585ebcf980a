import { createHash } from 'node:crypto'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'

/** Both ways of signing in answer a session (§4.1). */
export interface Session {
  readonly service_session_id: string
  readonly user_uuid: string
}

/** A session is an opaque token. The sandbox keeps only its digest (§2.2). */
export async function openServiceSession(sandbox: Sandbox, userUuid: string): Promise<Session> {
  const id = sandbox.ids.secret('session')
  const now = sandbox.clock.now()
  await sandbox.pool.query(
    `WITH expired AS (DELETE FROM session WHERE expires_at <= $3)
     INSERT INTO session (digest, user_uuid, expires_at) VALUES ($1, $2, $4)`,
    [digest(id), userUuid, now, addSeconds(now, sandbox.options.sessionMinutes * 60)],
  )
  return { service_session_id: id, user_uuid: userUuid }
}

/** The answer is undefined when the session is unknown or has expired (§5.4). */
export async function findSessionUser(sandbox: Sandbox, id: string): Promise<string | undefined> {
  const { rows } = await sandbox.pool.query<{ user_uuid: string }>(
    'SELECT user_uuid FROM session WHERE digest = $1 AND expires_at > $2',
    [digest(id), sandbox.clock.now()],
  )
  return rows[0]?.user_uuid
}

/** The text tells the developer why no live session has this id. Expired sessions are kept until the next sign-in. */
export async function sayWhatSession(sandbox: Sandbox, id: string): Promise<string> {
  const { rows } = await sandbox.pool.query<{ expires_at: Date }>(
    'SELECT expires_at FROM session WHERE digest = $1',
    [digest(id)],
  )
  return rows[0]
    ? `must be a live session; this one expired at ${rows[0].expires_at.toISOString()}`
    : 'must be a session from a sign-in; no such session is known, or it expired long ago'
}

const digest = (id: string) => createHash('sha256').update(id).digest()
