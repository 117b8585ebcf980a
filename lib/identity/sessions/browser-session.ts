import 'server-only'
import { cookies } from 'next/headers'
import { encode } from 'next-auth/jwt'
import type { CallSource } from '#lib/access/caller.ts'
import { env } from '#lib/platform/env.ts'
import { logOf } from '#lib/platform/log.ts'
import { refuseOtherOrigin } from './denied-requests.ts'
import { findSession, readRequestContext } from './read-request.ts'
import { endSession, longestMinutes, touchSession } from './read-session.ts'
import { readSessionToken, sessionCookie } from './session-cookie.ts'
import { activeSession, readSessionState } from './session-state.ts'

const log = logOf('single-sign-on')

/**
 * The browser gets a session that was opened without next-auth, in the cookie that next-auth would make. Its
 * earlier session ends. Server actions and route handlers call this.
 */
export async function replaceSession(token: string, source: CallSource): Promise<void> {
  const jar = await cookies()
  const earlier = await readSessionToken(jar)
  if (earlier !== null) await endSession(earlier, 'replaced', source, token)
  const { name, options } = sessionCookie()
  const maxAge = longestMinutes() * 60
  const value = await encode({ token: { token }, secret: env().nextauthSecrets[0], maxAge })
  jar.set(name, value, { ...options, maxAge })
}

/** An open page asks for the state of its session; this does not count as use. */
export async function answerSessionState(): Promise<Response> {
  return answer(await readSessionState(await readSessionToken(await cookies())))
}

/** Somebody types or points in an open page: the time without use starts again. */
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
 * The session ends on the server; its cookie goes, and the browser deletes its stored data of these pages. Only
 * this dashboard's own pages may ask for it. `elsewhere` gives the address that also ends the session at the
 * provider, by the token of the session here.
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
  return leadAway(token === null ? null : () => elsewhere(token))
}

/**
 * The browser deletes its stored data of these pages, and goes on to the address that `elsewhere` gives. It goes to the
 * sign-in page when there is none, and when looking for one failed. An address is as `URL.href` writes it.
 */
export async function leadAway(elsewhere: (() => Promise<string | null>) | null): Promise<Response> {
  const next = await elsewhere?.().catch((error: unknown) => {
    log.error({ err: error }, 'Somebody signed out here, but not at the provider of single sign-on')
    return null
  })
  // Cookies stay, because one of them identifies this browser, and others hold display settings.
  const headers = { 'clear-site-data': '"cache", "storage"', 'cache-control': 'no-store' }
  if (!next) return new Response(null, { status: 303, headers: { ...headers, location: '/sign-in' } })
  // Our policy lets no form lead to another site, not even by a redirect. A proxy may refuse a header as long as this address.
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signing out…</title>
<meta http-equiv="refresh" content="0; url=${next.replaceAll('&', '&amp;')}"><p>Signing out…</p></html>`
  return new Response(body, { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } })
}
