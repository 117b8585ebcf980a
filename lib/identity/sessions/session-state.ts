import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { digestToken, keyedDigests } from '#lib/platform/keys/digests-and-seals.ts'
import { readSession, readSetUpSession } from './read-session.ts'

/**
 * The tags identify a person to their own open pages, without revealing who that is: newest first. `callerId`
 * is as in `Caller.id`.
 */
export function personTags(callerId: string): readonly [string, ...string[]] {
  const [newest, ...older] = keyedDigests('repeat', callerId)
  return [newest.toString('base64url'), ...older.map((digest) => digest.toString('base64url'))]
}

/**
 * An open page reads the state of its session. Times are milliseconds from now, so that the browser's clock does not count.
 */
export type SessionState =
  | ActiveSession
  /** The session was not used for too long, or is too old; nobody has ended it. */
  | { readonly state: 'locked' }
  /** A sign-in in the same browser has ended the session; the new cookie is on its way. */
  | { readonly state: 'replaced' }
  | { readonly state: 'ended' }

export interface ActiveSession {
  readonly state: 'active'
  /**
   * The tags of the person are separated by blanks: a waiting page continues only for a person who has one of its own tags.
   */
  readonly person: string
  readonly idleIn: number
  readonly endsIn: number
}

/** Reading the state does not count as use of the session. */
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

/** The person is signed in in a browser, or was until the session ended. */
export interface LastPerson {
  readonly state: 'signed-in' | 'ended'
  /** Somebody has ended the session, which did not expire: nobody comes back to it. */
  readonly isOver: boolean
  /** The e-mail address is that at the service. Null without an account there, and when somebody has ended the session. */
  readonly email: string | null
  readonly name: string | null
}

/** The token's session names the person; null for an unknown token, and while the person is setting up a way to sign in. */
export async function readLastPerson(token: string, now: Date): Promise<LastPerson | null> {
  const caller = await readSession(token, now)
  if (caller)
    return { state: 'signed-in', isOver: false, email: caller.userUuid && caller.email, name: caller.name }
  const row = await prisma().session.findUnique({ where: { tokenDigest: digestToken(token) } })
  if (!row || (await readSetUpSession(token, now))) return null
  // People also end a session because somebody else has the browser.
  const person =
    row.endedAt === null && row.userUuid !== null
      ? await prisma().person.findUnique({ where: { userUuid: row.userUuid } })
      : null
  const isOver = row.endedAt !== null && row.endReason !== 'replaced'
  return { state: 'ended', isOver, email: person?.email ?? null, name: null }
}

/** The session belonged to this person, ended or not, as `Caller.id`; it does not say who is calling. */
export async function findSessionOwner(token: string): Promise<string | null> {
  const row = await prisma().session.findUnique({
    where: { tokenDigest: digestToken(token) },
    select: { userUuid: true, memberId: true },
  })
  return row?.userUuid ?? row?.memberId ?? null
}
