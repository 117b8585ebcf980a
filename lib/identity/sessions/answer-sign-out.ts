import 'server-only'
import { cookies } from 'next/headers'
import { endSession } from './end-session.ts'
import { readRequestContext } from './read-request-context.ts'
import { refuseOtherOrigin } from './refuse-other-origin.ts'
import { readSessionToken, sessionCookie } from './session-cookie.ts'

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
