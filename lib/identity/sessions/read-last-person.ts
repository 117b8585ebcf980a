import 'server-only'
import { prisma } from '#lib/platform/db/prisma.ts'
import { readSession, readSetUpSession } from './read-session.ts'
import { digestToken } from './token.ts'

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
