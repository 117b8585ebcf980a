import 'server-only'
import { env } from '#lib/env.ts'

/** With the sandbox, a receiver on this machine may be tried out without a certificate. */
export const isLoopbackTrial = (url: URL): boolean =>
  env().sandboxUrl !== null && url.protocol === 'http:' && loopback.has(url.hostname)

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
