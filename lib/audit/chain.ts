import 'server-only'
import crypto from 'node:crypto'

// The trigger `link_audit_entry` makes these digests too. The code here makes the same bytes independently, so
// that a changed trigger is found as well. Decision 0047.

/** The database prints an entry like this; times are ISO 8601 with milliseconds. */
export interface StoredEntry {
  readonly id: string
  readonly at: string
  readonly actor: string | null
  readonly actorRole: string | null
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  /** Only entries that are older than the digests hold their reason here. */
  readonly reason: string | null
  /** The database prints this JSON. */
  readonly details: string
  readonly ip: string | null
  readonly userAgent: string | null
  readonly expiresAt: string | null
  /** The digest is hexadecimal; null when no reason was given, and in older entries. */
  readonly reasonDigest: string | null
}

/** The reason is kept beside its entry; both fields are null once it was removed. */
export interface KeptReason {
  readonly text: string | null
  /** The salt is hexadecimal. */
  readonly salt: string | null
}

export interface ChainLink {
  /** Positions count from 1, without a gap. */
  readonly position: bigint
  readonly entryDigest: Buffer
  readonly expiresAt: string | null
}

/** A head is the end of the chain at one moment, sent to a place that the application cannot change. */
export interface ChainHead {
  readonly position: bigint
  readonly digest: Buffer
  /** The head was sent at this time, ISO 8601. */
  readonly at: string
  /** The head belongs to this database, when that is known. */
  readonly database?: string
}

/** The first link has no digest before it. */
export const noDigest = Buffer.alloc(0)

export function entryDigest(entry: StoredEntry): Buffer {
  const { id, at, actor, actorRole, action, target, outcome, reason, details, ip, userAgent, expiresAt } =
    entry
  const texts = [id, at, actor, actorRole, action, target, outcome, reason, details, ip, userAgent, expiresAt]
  if (entry.reasonDigest !== null) texts.push(entry.reasonDigest)
  return sha256(Buffer.from(texts.map(withLength).join('')))
}

/** The chain holds this digest in place of the reason. */
export const reasonDigest = (salt: Buffer, text: string): Buffer =>
  sha256(Buffer.concat([salt, Buffer.from(text)]))

/** `previous` is the digest of the link before. */
export function linkDigest(previous: Buffer, { position, entryDigest, expiresAt }: ChainLink): Buffer {
  const number = Buffer.alloc(8)
  number.writeBigInt64BE(position)
  return sha256(Buffer.concat([previous, number, entryDigest, Buffer.from(withLength(expiresAt))]))
}

/** Two different lists of texts never become the same bytes. */
const withLength = (text: string | null) => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)

const sha256 = (bytes: Buffer) => crypto.createHash('sha256').update(bytes).digest()
