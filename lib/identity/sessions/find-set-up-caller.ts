import 'server-only'
import { cookies } from 'next/headers'
import { cache } from 'react'
import type { Caller } from '#lib/access/caller.ts'
import { readSetUpSession } from './read-session.ts'
import { readSessionToken } from './session-cookie.ts'

/** Who is setting up a way to sign in, by a link that they opened; null for everybody else. Pages for members refuse them. */
export const findSetUpCaller: () => Promise<Caller | null> = cache(async () => {
  const token = await readSessionToken(await cookies())
  return token === null ? null : readSetUpSession(token, new Date())
})
