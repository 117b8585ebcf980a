import 'server-only'
import { env } from '#lib/env.ts'

/** The address at which this dashboard takes deliveries for a receiver. */
export const ownAddress = (receiverId: string) => new URL(`/api/webhooks/${receiverId}`, env().publicUrl).href

/** The receiver that a url of this dashboard names, or null for a url elsewhere. */
export function receiverOf(url: string): string | null {
  return URL.parse(url)?.origin === env().publicUrl.origin ? receiverInPath(url) : null
}

/** The receiver that a url of any origin would name, if it were ours: how an earlier public address is recognised. */
export function receiverInPath(url: string): string | null {
  const path = URL.parse(url)?.pathname ?? ''
  return /^\/api\/webhooks\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(path)?.[1] ?? null
}
