import 'server-only'
import { cookies } from 'next/headers'
import { endSession } from './end-session.ts'
import { readRequestContext } from './read-request-context.ts'
import { refuseOtherOrigin } from './refuse-other-origin.ts'
import { readSessionToken, sessionCookie } from './session-cookie.ts'

/**
 * Ends the session on the server, takes its cookie away and has the browser forget what it keeps of these pages. Only
 * this dashboard's own pages may ask for it.
 */
export async function answerSignOut(request: Request): Promise<Response> {
  const refused = await refuseOtherOrigin(request, '/api/sign-out')
  if (refused) return refused
  const jar = await cookies()
  const token = await readSessionToken(jar)
  if (token !== null) await endSession(token, 'signed-out', await readRequestContext())
  const { name, options } = sessionCookie()
  jar.set(name, '', { ...options, maxAge: 0 })
  // Cookies stay: one of them tells this browser from strangers' ones, others hold how pages look.
  const headers = {
    location: '/sign-in',
    'clear-site-data': '"cache", "storage"',
    'cache-control': 'no-store',
  }
  return new Response(null, { status: 303, headers })
}
