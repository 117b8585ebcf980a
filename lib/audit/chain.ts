import 'server-only'
import crypto from 'node:crypto'

// The digests of the chain, as the trigger `link_audit_entry` makes them: the same bytes, made apart from it, so that a
// changed trigger is found as well. Decision 0047.

/** An entry as the database prints it; times are ISO 8601 with milliseconds. */
export interface StoredEntry {
  readonly id: string
  readonly at: string
  readonly actor: string | null
  readonly actorRole: string | null
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  /** Of entries older than their digests. */
  readonly reason: string | null
  /** JSON as the database prints it. */
  readonly details: string
  readonly ip: string | null
  readonly userAgent: string | null
  readonly expiresAt: string | null
  /** Hexadecimal; null where no reason was given, and in older entries. */
  readonly reasonDigest: string | null
}

/** A reason beside its entry; both are null once it was removed. */
export interface KeptReason {
  readonly text: string | null
  /** Hexadecimal. */
  readonly salt: string | null
}

export interface ChainLink {
  /** From 1, without a gap. */
  readonly position: bigint
  readonly entryDigest: Buffer
  readonly expiresAt: string | null
}

/** The end of the chain at some moment, as it was given to a place that the application cannot change. */
export interface ChainHead {
  readonly position: bigint
  readonly digest: Buffer
  /** When it was given, ISO 8601. */
  readonly at: string
  /** Which database it is of, where that is known. */
  readonly database?: string
}

/** Where a chain begins. */
export const noDigest = Buffer.alloc(0)

export function entryDigest(entry: StoredEntry): Buffer {
  const { id, at, actor, actorRole, action, target, outcome, reason, details, ip, userAgent, expiresAt } =
    entry
  const texts = [id, at, actor, actorRole, action, target, outcome, reason, details, ip, userAgent, expiresAt]
  if (entry.reasonDigest !== null) texts.push(entry.reasonDigest)
  return sha256(Buffer.from(texts.map(withLength).join('')))
}

/** What the chain holds of a reason. */
export const reasonDigest = (salt: Buffer, text: string): Buffer =>
  sha256(Buffer.concat([salt, Buffer.from(text)]))

/** @param previous the digest of the link before */
export function linkDigest(previous: Buffer, { position, entryDigest, expiresAt }: ChainLink): Buffer {
  const number = Buffer.alloc(8)
  number.writeBigInt64BE(position)
  return sha256(Buffer.concat([previous, number, entryDigest, Buffer.from(withLength(expiresAt))]))
}

/** Two different lists of texts never become the same bytes. */
const withLength = (text: string | null) => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)

const sha256 = (bytes: Buffer) => crypto.createHash('sha256').update(bytes).digest()
