import 'server-only'
import { decode, type JWT } from 'next-auth/jwt'
import { z } from 'zod'
import { env } from '#lib/platform/env.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

const limited = limitedLog(logOf('sign-in'))

/** Next's store holds cookies, and so does a map of a request's own. */
export interface CookieReader {
  get(name: string): { readonly value: string } | undefined
}

/** The random token is in next-auth's cookie; null when there is none or it was not made here. */
export async function readSessionToken(cookies: CookieReader): Promise<string | null> {
  const value = cookies.get(sessionCookie().name)?.value
  if (!value) return null
  const token = await decodeToken(value).catch(notMadeHere)
  const read = SessionTokenSchema.safeParse(token)
  return read.success ? read.data.token : null
}

/** The session of the token in the `Cookie` header may have ended; null when there is no token. */
export const findToken = (cookieHeader: string | null): Promise<string | null> =>
  readSessionToken(readCookies(cookieHeader ?? ''))

/** When two cookies have one name, the last counts, as in Next. */
function readCookies(header: string): Map<string, { readonly value: string }> {
  const cookies = new Map<string, { readonly value: string }>()
  for (const part of header.split(';')) {
    const [name = '', ...value] = part.trim().split('=')
    cookies.set(name, { value: decodeText(value.join('=')) })
  }
  return cookies
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The content of next-auth's cookie is decrypted with the secret of `NEXTAUTH_SECRET` that made it. Rejects
 * when none of them did.
 */
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

/** Anybody can send such a cookie; after a change of `NEXTAUTH_SECRET`, every browser does. */
function notMadeHere(error: unknown): null {
  limited.info(
    causeOf(error),
    { err: error },
    'A session cookie was not made under this NEXTAUTH_SECRET, or is spoilt',
  )
  return null
}

/** The cookie's token holds only the random session token beside its own times. */
export const SessionTokenSchema = z.object({ token: z.string().min(32) })

export const sessionCookie = () => cookie('session')

/** The cookie identifies a browser for sign-in messages and bounce notices; it is not a session. */
export const browserCookie = () => cookie('browser')

/** Cookies can be bound to HTTPS when the public address uses it. */
export const isSecure = () => env().publicUrl.protocol === 'https:'

/**
 * `__Host-` prevents a subdomain or a plain connection from setting the cookie. Browsers send the cookies of a host to each of
 * its ports, so the name has the port where it is not the usual one. `keepCookie` names cookies alike. Decision 0151.
 */
export function cookie(name: string) {
  const secure = isSecure()
  const { port } = env().publicUrl
  return {
    name: `${secure ? '__Host-' : ''}rampart${port === '' ? '' : `-${port}`}.${name}`,
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure } as const,
  }
}
