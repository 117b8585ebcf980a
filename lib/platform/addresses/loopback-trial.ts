import 'server-only'
import { env } from '../env.ts'

/** With the sandbox, an endpoint on this machine may be tried out without a certificate: it is the sandbox that delivers. */
export const isLoopbackTrial = (url: URL): boolean =>
  env().sandboxUrl !== null && url.protocol === 'http:' && loopback.has(url.hostname)

/** The one address of this machine to which Rampart itself posts: any other may be a service that trusts its neighbours. */
export const isSandboxReceiver = (url: URL): boolean =>
  isLoopbackTrial(url) && url.port === env().sandboxUrl?.port && url.pathname === '/receiver'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
