import 'server-only'
import { cookies, headers } from 'next/headers'
import type { RequestContext } from '#lib/access/request-context.ts'
import { lastForwarded } from '#lib/platform/http/find-address.ts'
import { browserCookie } from './session-cookie.ts'

/** Where the request under way comes from. */
export async function readRequestContext(): Promise<RequestContext> {
  const [given, jar] = await Promise.all([headers(), cookies()])
  return {
    ip: lastForwarded(given.get('x-forwarded-for')),
    userAgent: given.get('user-agent')?.slice(0, 400) ?? null,
    browserId: jar.get(browserCookie().name)?.value ?? null,
  }
}
