import 'server-only'
import crypto from 'node:crypto'
import { env, type Key } from '../env.ts'
import { writingKey } from './agree-on-keys.ts'

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

/** `digestSecret` digests a signing secret under the key that writes, for the receiver's row. §5.5 */
export const digestSecret = (secret: string): SecretDigest =>
  secretDigester(env().keys).digest(secret, writingKey().id)

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
