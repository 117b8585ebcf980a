import 'server-only'
import { cookies } from 'next/headers'
import { type LastPerson, readLastPerson } from './read-last-person.ts'
import { readSessionToken } from './session-cookie.ts'

/** Who is or was signed in in this browser; null where nobody was, or has signed out. */
export async function findLastPerson(): Promise<LastPerson | null> {
  const token = await readSessionToken(await cookies())
  return token === null ? null : readLastPerson(token, new Date())
}
