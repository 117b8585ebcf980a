import 'server-only'
import type { Caller } from '#lib/request/caller.ts'
import { readSession } from './read-session.ts'
import { readSessionToken } from './session-cookie.ts'

/** Who sends a `Cookie` header, for requests that Next does not see; null when nobody is signed in. */
export async function findCaller(cookieHeader: string | null): Promise<Caller | null> {
  const token = await readSessionToken(readCookies(cookieHeader ?? ''))
  return token === null ? null : readSession(token, new Date())
}

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
