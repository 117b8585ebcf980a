import 'server-only'
import { cookies } from 'next/headers'
import { activeSession, readSessionState } from './read-session-state.ts'
import { refuseOtherOrigin } from './refuse-other-origin.ts'
import { findSession } from './require-session.ts'
import { readSessionToken } from './session-cookie.ts'
import { touchSession } from './touch-session.ts'

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
