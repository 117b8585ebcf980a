import 'server-only'
import { prisma } from '#lib/db/prisma.ts'
import type { Caller } from '#lib/request/caller.ts'
import { personTag } from './person-tag.ts'
import { readSession } from './read-session.ts'
import { digestToken } from './token.ts'

/** How the session of an open page stands. Times are milliseconds from now, so that the browser’s clock does not count. */
export type SessionState =
  | ActiveSession
  /** Nobody has ended it: it was not used for too long, or is too old. */
  | { readonly state: 'locked' }
  | { readonly state: 'ended' }

export interface ActiveSession {
  readonly state: 'active'
  /** Identifies the person: a page that waits goes on for the same one only. */
  readonly person: string
  readonly idleIn: number
  readonly endsIn: number
}

/** Looks at the session of this token, which is no use of it. */
export async function readSessionState(token: string | null, now = new Date()): Promise<SessionState> {
  if (token === null) return { state: 'ended' }
  const caller = await readSession(token, now)
  if (caller) return activeSession(caller, now)
  const row = await prisma().session.findUnique({ where: { tokenDigest: digestToken(token) } })
  return { state: row && !row.endedAt ? 'locked' : 'ended' }
}

export const activeSession = ({ id, idleExpiresAt, expiresAt }: Caller, now = new Date()): ActiveSession => ({
  state: 'active',
  person: personTag(id),
  idleIn: Date.parse(idleExpiresAt) - now.getTime(),
  endsIn: Date.parse(expiresAt) - now.getTime(),
})
