import 'server-only'
import crypto from 'node:crypto'
import { env, type Key } from '../env.ts'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { requireWritingKey } from './agree-on-keys.ts'

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

/** The digest of a signing secret is stored. It reveals nothing without the key of this id. */
export interface SecretDigest {
  readonly digest: Buffer
  readonly keyId: string
}

/** `SecretDigester` digests secrets under a set of keys. */
export interface SecretDigester {
  /** The newest id is first. */
  readonly keyIds: readonly [string, ...string[]]
  /** @param keyId one of its keys, by default the newest */
  digest(secret: string | Buffer, keyId?: string): SecretDigest
  /** The comparison takes constant time. The result is null when no key has that id. */
  matches(secret: Buffer, kept: SecretDigest): boolean | null
  /** The fingerprint distinguishes two keys of the same id, and reveals nothing else. */
  keyFingerprint(keyId: string): Buffer | null
}

/**
 * `digestSecret` digests a signing secret under the key that writes, for the receiver's row. It throws `Refused` with wrong
 * keys. §5.5
 */
export const digestSecret = (secret: string): SecretDigest =>
  secretDigester(env().keys).digest(secret, requireWritingKey().id)

export function secretDigester(keys: readonly [Key, ...Key[]]): SecretDigester {
  // Key objects make a digest seven times as fast as bytes.
  const derived = new Map(
    keys.map(({ id, bytes }) => [id, crypto.createSecretKey(derive(bytes, 'webhook signing secret'))]),
  )
  const marks = new Map(keys.map(({ id, bytes }) => [id, derive(bytes, 'webhook signing secret: key check')]))
  const [newest, ...older] = keys
  const under = (keyId: string, secret: string | Buffer) => {
    const key = derived.get(keyId)
    return key ? crypto.createHmac('sha256', key).update(secret).digest() : null
  }
  // A secret that matched a digest is cached while the receiver is cached. A busy receiver's deliveries then need no digest
  // each.
  const verified = new WeakMap<SecretDigest, Buffer>()
  return {
    keyIds: [newest.id, ...older.map(({ id }) => id)],
    digest: (secret, keyId = newest.id) => ({ digest: under(keyId, secret) ?? Buffer.alloc(0), keyId }),
    matches(secret, kept) {
      if (equal(secret, verified.get(kept))) return true
      const digest = under(kept.keyId, secret)
      if (!digest) return null
      const match = equal(digest, kept.digest)
      if (match) verified.set(kept, secret)
      return match
    },
    keyFingerprint: (keyId) => marks.get(keyId) ?? null,
  }
}

/** Each purpose has its own key, so that the data of one reveals nothing about another. */
const derive = (key: Buffer, purpose: string) => Buffer.from(crypto.hkdfSync('sha256', key, '', purpose, 32))

const equal = (one: Buffer, other: Buffer | undefined) =>
  other !== undefined && one.length === other.length && crypto.timingSafeEqual(one, other)

const limited = limitedLog(logOf('keys'))

interface Sealed {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly keyId: string
}

/**
 * `seal` encrypts by AES-256-GCM under the key that writes. The result is bound to its place and opens nowhere else. It throws
 * `Refused` with wrong keys.
 */
export function seal(text: string, boundTo: string, key = requireWritingKey()): Sealed {
  const nonce = crypto.randomBytes(12)
  const cipher = crypto.createCipheriv('aes-256-gcm', cipherKey(key), nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { bytes: new Uint8Array(sealed), keyId: key.id }
}

/** The result is null when the key was removed, or when the bytes were changed or moved. */
export function unseal(
  { bytes, keyId }: Sealed,
  boundTo: string,
  keys: readonly Key[] = env().keys,
): string | null {
  const key = keys.find(({ id }) => id === keyId)
  if (!key) return null
  const [nonce, body, tag] = [bytes.subarray(0, 12), bytes.subarray(12, -16), bytes.subarray(-16)]
  try {
    const decipher = crypto.createDecipheriv('aes-256-gcm', cipherKey(key), nonce)
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(tag)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch (error) {
    limited.warn(keyId, { keyId, err: error }, 'What was sealed under a key does not open with it')
    return null
  }
}

/** One key serves several purposes, each by a derived key. */
const cipherKey = (key: Key) => Buffer.from(crypto.hkdfSync('sha256', key.bytes, '', 'rampart seal', 32))

/** The token has 256 random bits and is safe in cookies and addresses. */
export const randomToken = () => crypto.randomBytes(32).toString('base64url')

/** The database stores this digest of a random token. The token is too random to need a key or salt. */
export const digestToken = (token: string) =>
  new Uint8Array(crypto.createHash('sha256').update(token).digest())
