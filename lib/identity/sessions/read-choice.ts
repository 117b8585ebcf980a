import 'server-only'
import { cookies } from 'next/headers'
import { cookie } from './session-cookie.ts'

/** What a page kept of how it looks to this reader, in the browser's own cookie of this name; not to be trusted. */
export const readChoice = async (name: string): Promise<string | undefined> =>
  (await cookies()).get(cookie(name).name)?.value
