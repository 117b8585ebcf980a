import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { personTags } from './person-tag.ts'
import { readSession } from './read-session.ts'
import { digestToken } from './token.ts'

/** How the session of an open page stands. Times are milliseconds from now, so that the browser’s clock does not count. */
export type SessionState =
  | ActiveSession
  /** Nobody has ended it: it was not used for too long, or is too old. */
  | { readonly state: 'locked' }
  /** A sign-in in the same browser has ended it, whose cookie is on its way. */
  | { readonly state: 'replaced' }
  | { readonly state: 'ended' }

export interface ActiveSession {
  readonly state: 'active'
  /** Tags of the person, with blanks between them: a page that waits goes on for whoever has one of its own, and nobody else. */
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
  if (row?.endReason === 'replaced') return { state: 'replaced' }
  return { state: row && !row.endedAt ? 'locked' : 'ended' }
}

export const activeSession = ({ id, idleExpiresAt, expiresAt }: Caller, now = new Date()): ActiveSession => ({
  state: 'active',
  person: personTags(id).join(' '),
  idleIn: Date.parse(idleExpiresAt) - now.getTime(),
  endsIn: Date.parse(expiresAt) - now.getTime(),
})
