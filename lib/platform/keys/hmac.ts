import 'server-only'
import crypto from 'node:crypto'
import { env, type Key } from '../env.ts'

/**
 * HMAC-SHA256 of something guessable, so that only this server can make or check it.
 * @param purpose keeps digests for different uses apart
 */
export const keyedDigest = (purpose: string, text: string): Buffer =>
  digestUnder(env().nextauthSecrets[0], purpose, text)

/** The digests that this server makes or has made of it, newest first: one for each secret of `NEXTAUTH_SECRET`. */
export function keyedDigests(purpose: string, text: string): readonly [Buffer, ...Buffer[]] {
  const [newest, ...older] = env().nextauthSecrets
  return [digestUnder(newest, purpose, text), ...older.map((secret) => digestUnder(secret, purpose, text))]
}

function digestUnder(secret: string, purpose: string, text: string): Buffer {
  const key = Buffer.from(crypto.hkdfSync('sha256', secret, '', `rampart ${purpose}`, 32))
  return crypto.createHmac('sha256', key).update(text).digest()
}

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
