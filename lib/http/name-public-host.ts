import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { env } from '#lib/env.ts'

/**
 * Gives a request of our own pages the host that Next compares with its Origin, whatever a proxy made of it: `PUBLIC_URL` alone says
 * which origins are ours. The host of another origin stays, and Next or the action refuses it.
 */
export function namePublicHost(headers: IncomingHttpHeaders): void {
  const { host, origin, protocol } = env().publicUrl
  delete headers['x-forwarded-host']
  delete headers['x-forwarded-port']
  if (headers.origin !== undefined && headers.origin !== origin) return
  headers.host = host
  headers['x-forwarded-proto'] = protocol.replace(':', '')
}
