import 'server-only'
import { env } from '../env.ts'
import { Refused } from '../refusals.ts'
import { uuidPattern } from '../rules/ids.ts'
import { maskUrl } from '../rules/network-addresses.ts'

/** This dashboard accepts a receiver's deliveries at this address. */
export const receiverUrl = (receiverId: string) => receiverUrlAt(receiverId, env().publicUrl)

export const receiverUrlAt = (receiverId: string, dashboard: URL) =>
  new URL(`/api/webhooks/${receiverId}`, dashboard).href

/** The receiver is the one that a url of this dashboard names; null for a url elsewhere. */
export function receiverIdOf(url: string): string | null {
  return URL.parse(url)?.origin === env().publicUrl.origin ? receiverInPath(url) : null
}

/** The receiver is the one in the path of a url of any origin. It recognises an earlier public address of this dashboard. */
export function receiverInPath(url: string): string | null {
  const path = URL.parse(url)?.pathname ?? ''
  return receiverPath.exec(path)?.[1] ?? null
}

/** The audit names the place of a url in this form. The part that grants access to an endpoint is left out. */
export function placeOfUrl(url: string): string {
  if (receiverIdOf(url) !== null) return 'this dashboard'
  const receiverId = receiverInPath(url)
  return receiverId === null ? maskUrl(url) : `${URL.parse(url)?.origin}/api/webhooks/…`
}

const receiverPath = new RegExp(`^/api/webhooks/(${uuidPattern})$`)

/** `isAllowedScheme` requires HTTPS (§8), except on this machine with the sandbox. */
export const isAllowedScheme = (url: URL): boolean => url.protocol === 'https:' || isLoopbackTrial(url)

/**
 * `requireHttps` runs before the service is asked to deliver here. It throws `Refused` for an address that the service would
 * refuse (§8).
 */
export function requireHttps(): void {
  if (!isAllowedScheme(env().publicUrl)) throw new Refused('public-url-not-secure')
}

/** `isLoopbackTrial` allows an endpoint on this machine without a certificate, because the sandbox delivers to it. */
const isLoopbackTrial = (url: URL): boolean =>
  env().sandboxUrl !== null && url.protocol === 'http:' && loopback.has(url.hostname)

/**
 * `isSandboxReceiver` is true for the only address of this machine to which Rampart itself posts. Another service there may
 * trust local callers.
 */
export const isSandboxReceiver = (url: URL): boolean =>
  isLoopbackTrial(url) && url.port === env().sandboxUrl?.port && url.pathname === '/receiver'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
