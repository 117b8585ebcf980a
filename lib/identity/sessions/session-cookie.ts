import 'server-only'
import { decode, type JWT } from 'next-auth/jwt'
import { z } from 'zod'
import { env } from '#lib/platform/env.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

const limited = limitedLog(logOf('sign-in'))

/** Anything that holds cookies: Next's store, or a map of a request's own. */
export interface CookieReader {
  get(name: string): { readonly value: string } | undefined
}

/** The random token in next-auth's cookie, or null when there is none or it was not made here. */
export async function readSessionToken(cookies: CookieReader): Promise<string | null> {
  const value = cookies.get(sessionCookie().name)?.value
  if (!value) return null
  const token = await decodeToken(value).catch(notMadeHere)
  const read = SessionTokenSchema.safeParse(token)
  return read.success ? read.data.token : null
}

/** The content of next-auth's cookie, under whichever secret of `NEXTAUTH_SECRET` made it. Rejects when none of them did. */
export async function decodeToken(token: string): Promise<JWT | null> {
  const [newest, ...older] = env().nextauthSecrets
  let answer = decode({ token, secret: newest })
  for (const secret of older)
    answer = answer.catch((error) => {
      if (causeOf(error) !== 'ERR_JWE_DECRYPTION_FAILED') throw error
      return decode({ token, secret })
    })
  return answer
}

/** Anybody can send such a cookie; with another NEXTAUTH_SECRET than before, everybody does. */
function notMadeHere(error: unknown): null {
  limited.info(
    causeOf(error),
    { err: error },
    'A session cookie was not made under this NEXTAUTH_SECRET, or is spoilt',
  )
  return null
}

/** What the cookie's token holds beside its own times: nothing but the random session token. */
export const SessionTokenSchema = z.object({ token: z.string().min(32) })

export const sessionCookie = () => cookie('session')

/** Names a browser for sign-in messages and bounce notices; not a session. */
export const browserCookie = () => cookie('browser')

/** Whether the public address is HTTPS, so that cookies can be bound to it. */
export const isSecure = () => env().publicUrl.protocol === 'https:'

/** `__Host-` forbids a subdomain or a plain connection to plant the cookie. */
export function cookie(name: string) {
  const secure = isSecure()
  return {
    name: `${secure ? '__Host-' : ''}rampart.${name}`,
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure } as const,
  }
}
