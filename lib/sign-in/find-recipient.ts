import 'server-only'
import { keyedDigest } from '#lib/keys/keyed-digest.ts'
import { emailKey } from '#lib/users/email-key.ts'

/**
 * A `user_uuid` that nobody has, always the same for one address: an unknown address is handled exactly like
 * a known one, so that messages, timing and waits do not reveal the difference.
 */
export function decoyUuid(email: string): string {
  const hex = keyedDigest('stand-in', emailKey(email)).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
