import 'server-only'
import { env } from '#lib/env.ts'

/** The address at which this dashboard takes deliveries for a receiver. */
export const ownAddress = (receiverId: string) => new URL(`/api/webhooks/${receiverId}`, env().publicUrl).href

/** The receiver that a url of this dashboard names, or null for a url elsewhere. */
export function receiverOf(url: string): string | null {
  const parsed = URL.parse(url)
  if (parsed?.origin !== env().publicUrl.origin) return null
  return /^\/api\/webhooks\/([0-9a-f-]{36})$/.exec(parsed.pathname)?.[1] ?? null
}
