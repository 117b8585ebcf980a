import 'server-only'
import { cookies, headers } from 'next/headers'
import type { RequestContext } from '#lib/request/request-context.ts'
import { browserCookie } from './session-cookie.ts'

/** Where the request under way comes from. */
export async function readRequestContext(): Promise<RequestContext> {
  const [given, jar] = await Promise.all([headers(), cookies()])
  return {
    ip: clientAddress(given.get('x-forwarded-for')),
    userAgent: given.get('user-agent')?.slice(0, 400) ?? null,
    browserId: jar.get(browserCookie().name)?.value ?? null,
  }
}

/** ASSUMED: at most one proxy stands in front; only the address that it appended can be trusted. */
const clientAddress = (forwardedFor: string | null) =>
  forwardedFor?.split(',').at(-1)?.trim().slice(0, 45) || null
