import 'server-only'
import { cookies } from 'next/headers'
import { encode } from 'next-auth/jwt'
import type { CallSource } from '#lib/access/request-context.ts'
import { env } from '#lib/platform/env.ts'
import { endSession } from './end-session.ts'
import { readSessionToken, sessionCookie } from './session-cookie.ts'
import { longestMinutes } from './session-lifetime.ts'

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
