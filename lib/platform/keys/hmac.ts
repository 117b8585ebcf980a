import 'server-only'
import crypto from 'node:crypto'
import { env, type Key } from '../env.ts'

/**
 * `keyedDigest` is the HMAC-SHA256 of a guessable text, so that only this server can make or check it.
 * @param purpose keeps digests for different uses apart
 */
export const keyedDigest = (purpose: string, text: string): Buffer =>
  digestUnder(env().nextauthSecrets[0], purpose, text)

/** The digests are by each secret of `NEXTAUTH_SECRET`, newest first. This server makes or has made them. */
export function keyedDigests(purpose: string, text: string): readonly [Buffer, ...Buffer[]] {
  const [newest, ...older] = env().nextauthSecrets
  return [digestUnder(newest, purpose, text), ...older.map((secret) => digestUnder(secret, purpose, text))]
}

function digestUnder(secret: string, purpose: string, text: string): Buffer {
  const key = Buffer.from(crypto.hkdfSync('sha256', secret, '', `rampart ${purpose}`, 32))
  return crypto.createHmac('sha256', key).update(text).digest()
}

/** A signature proves that a holder of one of the keys wrote a text. It comes with the key's id. */
export interface Signature {
  readonly keyId: string
  /** The signature is HMAC-SHA256 in hex. The log would remove base64url texts, which resemble our tokens. */
  readonly signature: string
}

/**
 * `sign` uses the newest key.
 * @param purpose keeps signatures for different uses apart
 */
export function sign([key]: readonly [Key, ...Key[]], purpose: string, text: string): Signature {
  return { keyId: key.id, signature: hmac(key, purpose, text).toString('hex') }
}

/** The result is null when no key has that id. */
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
