import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { readSession } from './read-session.ts'
import { readSessionToken } from './session-cookie.ts'

/** Who sends a `Cookie` header, for requests that Next does not see; null when nobody is signed in. */
export async function findCaller(cookieHeader: string | null): Promise<Caller | null> {
  const token = await findToken(cookieHeader)
  return token === null ? null : readSession(token, new Date())
}

/** The session's token in a `Cookie` header, of a session that may have ended; null when there is none. */
export const findToken = (cookieHeader: string | null): Promise<string | null> =>
  readSessionToken(readCookies(cookieHeader ?? ''))

/** Names and values; of two cookies of one name the last, as Next has it. */
function readCookies(header: string): Map<string, { readonly value: string }> {
  const cookies = new Map<string, { readonly value: string }>()
  for (const part of header.split(';')) {
    const [name = '', ...value] = part.trim().split('=')
    cookies.set(name, { value: decode(value.join('=')) })
  }
  return cookies
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
