import 'server-only'
import { cookies } from 'next/headers'
import { encode } from 'next-auth/jwt'
import type { CallSource } from '#lib/access/caller.ts'
import { env } from '#lib/platform/env.ts'
import { refuseOtherOrigin } from './denied-requests.ts'
import { readRequestContext } from './read-request.ts'
import { findSession } from './require-session.ts'
import { readSessionToken, sessionCookie } from './session-cookie.ts'
import { endSession, longestMinutes, touchSession } from './session-lifetime.ts'
import { activeSession, readSessionState } from './session-state.ts'

/**
 * Gives this browser a session that was opened without next-auth, in the cookie that next-auth would make. The one that
 * it had ends. For server actions and route handlers.
 */
export async function replaceSession(token: string, source: CallSource): Promise<void> {
  const jar = await cookies()
  const earlier = await readSessionToken(jar)
  if (earlier !== null) await endSession(earlier, 'replaced', source)
  const { name, options } = sessionCookie()
  const maxAge = longestMinutes() * 60
  const value = await encode({ token: { token }, secret: env().nextauthSecrets[0], maxAge })
  jar.set(name, value, { ...options, maxAge })
}

/** How the session of an open page stands; asking is no use of it. */
export async function answerSessionState(): Promise<Response> {
  return answer(await readSessionState(await readSessionToken(await cookies())))
}

/** Somebody types or points in an open page: the time without use starts over. */
export async function answerSessionUse(request: Request): Promise<Response> {
  const refused = await refuseOtherOrigin(request, '/api/session')
  if (refused) return refused
  const caller = await findSession()
  if (!caller) return answerSessionState()
  const until = await touchSession(caller)
  return answer(activeSession({ ...caller, idleExpiresAt: new Date(until).toISOString() }))
}

const answer = (body: object) => Response.json(body, { headers: { 'cache-control': 'no-store' } })

/**
 * Ends the session on the server, takes its cookie away and has the browser forget what it keeps of these pages. Only
 * this dashboard's own pages may ask for it.
 * @param elsewhere where a session that came from elsewhere is ended, too, by the token of the session here
 */
export async function answerSignOut(
  request: Request,
  elsewhere: (token: string) => Promise<string | null>,
): Promise<Response> {
  const refused = await refuseOtherOrigin(request, '/api/sign-out')
  if (refused) return refused
  const jar = await cookies()
  const token = await readSessionToken(jar)
  if (token !== null) await endSession(token, 'signed-out', await readRequestContext())
  const { name, options } = sessionCookie()
  jar.set(name, '', { ...options, maxAge: 0 })
  // Cookies stay: one of them tells this browser from strangers' ones, others hold how pages look.
  const headers = { 'clear-site-data': '"cache", "storage"', 'cache-control': 'no-store' }
  const next = token === null ? null : await elsewhere(token)
  if (next === null) return new Response(null, { status: 303, headers: { ...headers, location: '/sign-in' } })
  // Our policy lets no form lead elsewhere, be it by a redirect.
  const refresh = { refresh: `0; url=${next}`, 'content-type': 'text/plain; charset=utf-8' }
  return new Response('Signing out…', { headers: { ...headers, ...refresh } })
}
