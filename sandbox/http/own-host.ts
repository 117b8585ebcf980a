import type { MiddlewareHandler } from 'hono'
import { Refusal } from '../service/refusal.ts'

/**
 * The console and the control interface only answer to their own host name, so that another site can neither
 * reach them by DNS rebinding nor submit forms to them. `others` are further allowed names.
 */
export function requireOwnHost(port: number, others: string[]): MiddlewareHandler {
  const own = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port}`)
  const hosts = new Set([...own, ...others])
  const origins = new Set([...hosts].flatMap((host) => [`http://${host}`, `https://${host}`]))
  return async (context, next) => {
    const host = context.req.header('host')?.toLowerCase() ?? ''
    if (!hosts.has(host))
      throw new Refusal(421, 'MisdirectedRequestError', `Open http://localhost:${port} instead`)
    const origin = context.req.header('origin')
    const crossSite = context.req.header('sec-fetch-site') === 'cross-site'
    if (context.req.method !== 'GET' && (crossSite || (origin && !origins.has(origin)))) {
      throw new Refusal(403, 'ForbiddenError', 'Requests from other sites are refused')
    }
    await next()
  }
}
