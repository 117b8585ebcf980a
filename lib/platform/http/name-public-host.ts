import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { env } from '../env.ts'

/** Gives a request the host of `PUBLIC_URL`, whatever a proxy made of it: Next compares it with the Origin, and asks itself by it. */
export function namePublicHost(headers: IncomingHttpHeaders): void {
  delete headers['x-forwarded-host']
  // With `https` Next would ask itself by TLS, where it passes an action on to another page.
  delete headers['x-forwarded-proto']
  delete headers['x-forwarded-port']
  headers.host = env().publicUrl.host
}
