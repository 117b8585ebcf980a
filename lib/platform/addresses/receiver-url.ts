import 'server-only'
import { env } from '../env.ts'
import { Refused } from '../refusals.ts'
import { uuidPattern } from '../rules/ids.ts'
import { maskUrl } from '../rules/network-addresses.ts'

/** The address at which this dashboard takes deliveries for a receiver. */
export const receiverUrl = (receiverId: string) => receiverUrlAt(receiverId, env().publicUrl)

export const receiverUrlAt = (receiverId: string, dashboard: URL) =>
  new URL(`/api/webhooks/${receiverId}`, dashboard).href

/** The receiver that a url of this dashboard names, or null for a url elsewhere. */
export function receiverIdOf(url: string): string | null {
  return URL.parse(url)?.origin === env().publicUrl.origin ? receiverInPath(url) : null
}

/** The receiver that a url of any origin would name, if it were ours: how an earlier public address is recognised. */
export function receiverInPath(url: string): string | null {
  const path = URL.parse(url)?.pathname ?? ''
  return receiverPath.exec(path)?.[1] ?? null
}

/** Where an url delivers, as the audit may name it: what lets deliveries in, here or elsewhere, is left out. */
export function placeOfUrl(url: string): string {
  if (receiverIdOf(url) !== null) return 'this dashboard'
  const receiverId = receiverInPath(url)
  return receiverId === null ? maskUrl(url) : `${URL.parse(url)?.origin}/api/webhooks/…`
}

const receiverPath = new RegExp(`^/api/webhooks/(${uuidPattern})$`)

/** HTTPS (§8), except on this machine with the sandbox. */
export const isAllowedScheme = (url: URL): boolean => url.protocol === 'https:' || isLoopbackTrial(url)

/**
 * Called before the service is asked to deliver here. Throws `Refused` when it would surely not take the address
 * (§8).
 */
export function requireHttps(): void {
  if (!isAllowedScheme(env().publicUrl)) throw new Refused(notSecure)
}

const notSecure = {
  title: 'The service delivers to https addresses only.',
  next: 'Nothing was changed. Set PUBLIC_URL to the https address of this dashboard, start it again, and repeat this.',
}

/** With the sandbox, an endpoint on this machine may be tried out without a certificate: it is the sandbox that delivers. */
const isLoopbackTrial = (url: URL): boolean =>
  env().sandboxUrl !== null && url.protocol === 'http:' && loopback.has(url.hostname)

/** The one address of this machine to which Rampart itself posts: any other may be a service that trusts its neighbours. */
export const isSandboxReceiver = (url: URL): boolean =>
  isLoopbackTrial(url) && url.port === env().sandboxUrl?.port && url.pathname === '/receiver'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
