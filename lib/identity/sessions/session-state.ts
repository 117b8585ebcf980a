import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { keyedDigests } from '#lib/platform/keys/hmac.ts'
import { readSession, readSetUpSession } from './read-session.ts'
import { digestToken } from './token.ts'

/** Identifies a person to their own open pages, without revealing who that is: newest first. `callerId` as in `Caller.id`. */
export function personTags(callerId: string): readonly [string, ...string[]] {
  const [newest, ...older] = keyedDigests('repeat', callerId)
  return [newest.toString('base64url'), ...older.map((digest) => digest.toString('base64url'))]
}

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

/** Who is signed in in a browser, or was until the session ended. */
export interface LastPerson {
  readonly state: 'signed-in' | 'ended'
  /** Somebody has ended the session, which did not run out: nobody comes back to it. */
  readonly isOver: boolean
  /** At the service. Null for whoever has no account there, and where somebody has ended the session. */
  readonly email: string | null
  readonly name: string | null
}

/** Of the session of this token; null when it is none, and for whoever is still setting up a way to sign in. */
export async function readLastPerson(token: string, now: Date): Promise<LastPerson | null> {
  const caller = await readSession(token, now)
  if (caller)
    return { state: 'signed-in', isOver: false, email: caller.userUuid && caller.email, name: caller.name }
  const row = await prisma().session.findUnique({ where: { tokenDigest: digestToken(token) } })
  if (!row || (await readSetUpSession(token, now))) return null
  // A session is ended by hand also because somebody else has the browser.
  const person =
    row.endedAt === null && row.userUuid !== null
      ? await prisma().person.findUnique({ where: { userUuid: row.userUuid } })
      : null
  const isOver = row.endedAt !== null && row.endReason !== 'replaced'
  return { state: 'ended', isOver, email: person?.email ?? null, name: null }
}

/** Whose session this was, ended or not, as `Caller.id`; it says nothing about who is calling. */
export async function findSessionOwner(token: string): Promise<string | null> {
  const row = await prisma().session.findUnique({
    where: { tokenDigest: digestToken(token) },
    select: { userUuid: true, memberId: true },
  })
  return row?.userUuid ?? row?.memberId ?? null
}
