import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { env } from '#lib/env.ts'

/**
 * Gives a request of our own pages the host that Next compares with its Origin, whatever a proxy made of it: `PUBLIC_URL` alone says
 * which origins are ours. The host of another origin stays, and Next or the action refuses it.
 */
export function namePublicHost(headers: IncomingHttpHeaders): void {
  const { host, origin } = env().publicUrl
  delete headers['x-forwarded-host']
  // With `https` Next would ask itself by TLS, where it passes an action on to another page.
  delete headers['x-forwarded-proto']
  delete headers['x-forwarded-port']
  if (headers.origin === undefined || headers.origin === origin) headers.host = host
}
