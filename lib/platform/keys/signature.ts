import 'server-only'
import crypto from 'node:crypto'
import type { Key } from '../env.ts'

/** Says that whoever had one of the keys wrote a text; the key's id stands beside it. */
export interface Signature {
  readonly keyId: string
  /** HMAC-SHA256 in hex: the log takes out what looks like one of our tokens, which are base64url. */
  readonly signature: string
}

/**
 * Signs under the newest key.
 * @param purpose keeps signatures for different uses apart
 */
export function sign([key]: readonly [Key, ...Key[]], purpose: string, text: string): Signature {
  return { keyId: key.id, signature: hmac(key, purpose, text).toString('hex') }
}

/** Null when there is no key of that id to check with. */
export function isSigned(
  keys: readonly Key[],
  purpose: string,
  text: string,
  { keyId, signature }: Signature,
): boolean | null {
  const key = keys.find(({ id }) => id === keyId)
  if (!key) return null
  const [own, given] = [hmac(key, purpose, text), Buffer.from(signature, 'hex')]
  return own.length === given.length && crypto.timingSafeEqual(own, given)
}

const hmac = (key: Key, purpose: string, text: string) =>
  crypto
    .createHmac(
      'sha256',
      Buffer.from(crypto.hkdfSync('sha256', key.bytes, '', `rampart sign ${purpose}`, 32)),
    )
    .update(text)
    .digest()
