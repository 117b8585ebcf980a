import 'server-only'
import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import type { Caller } from '#lib/access/caller.ts'
import { NotSignedIn } from '#lib/platform/refusals.ts'
import { readSession } from './read-session.ts'
import { readSessionToken } from './session-cookie.ts'
import { touchSession } from './touch-session.ts'

/** Who is calling. The only place that decides it, from the session row, once per request. Throws `NotSignedIn`. */
export async function requireSession(): Promise<Caller> {
  const caller = await findSession()
  if (!caller) throw new NotSignedIn()
  return caller
}

/**
 * Who is calling, or null when nobody is signed in. Somebody who opens a page uses the dashboard; what an open page
 * fetches by itself is no use.
 */
export const findSession: () => Promise<Caller | null> = cache(async () => {
  const [jar, given] = await Promise.all([cookies(), headers()])
  const token = await readSessionToken(jar)
  const caller = token === null ? null : await readSession(token, new Date())
  if (caller && given.get('sec-fetch-mode') === 'navigate') await touchSession(caller)
  return caller
})
