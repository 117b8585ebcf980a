import 'server-only'
import { cookies } from 'next/headers'
import { cache } from 'react'
import type { Caller } from '#lib/request/caller.ts'
import { NotSignedIn } from '#lib/request/refusals.ts'
import { readSession } from './read-session.ts'
import { readSessionToken } from './session-cookie.ts'

/** Who is calling. The only place that decides it, from the session row, once per request. Throws `NotSignedIn`. */
export async function requireSession(): Promise<Caller> {
  const caller = await findSession()
  if (!caller) throw new NotSignedIn()
  return caller
}

/** Who is calling, or null when nobody is signed in. */
export const findSession: () => Promise<Caller | null> = cache(async () => {
  const token = await readSessionToken(await cookies())
  return token === null ? null : readSession(token, new Date())
})
