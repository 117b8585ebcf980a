import type { Envelope } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'
import { textField } from './text-field.ts'

/** An event is about its subject. `id` is in lower case; for `unknown` it is the delivery's fingerprint. */
export interface Subject {
  readonly kind: SubjectKind
  readonly id: string
}

const subjectKinds = ['transaction', 'bank-account', 'entity', 'unknown'] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** The subject of a delivery is its transaction, its bank account, its user or entity, or `unknown`, whatever its type. */
export function subjectOf(envelope: Envelope | null, fingerprint: string): Subject {
  const transaction = idField(envelope, 'transactionUuid')
  if (transaction) return { kind: 'transaction', id: transaction }
  const account = bankAccountTypes.has(envelope?.type ?? '') ? idField(envelope, 'uuid') : null
  if (account) return { kind: 'bank-account', id: account }
  const entity = normaliseId(envelope?.uuid ?? null)
  if (entity) return { kind: 'entity', id: entity }
  return { kind: 'unknown', id: fingerprint }
}

/** The subject is written as one text key: `transaction:2046967a-…`. */
export const subjectId = (subject: Subject): string => `${subject.kind}:${subject.id}`

/** The parser reads a key made by `subjectId`; null for anything else. */
export function parseSubjectId(text: string): Subject | null {
  const colon = text.indexOf(':')
  const kind = subjectKinds.find((known) => known === text.slice(0, Math.max(colon, 0)))
  const id = text.slice(colon + 1)
  return kind && id !== '' ? { kind, id } : null
}

const idField = (envelope: Envelope | null, name: string) =>
  normaliseId(textField(envelope?.data ?? null, name))

/** ASSUMED: no id is longer. A longer value is ignored, since it would not fit an index. */
const longestId = 200

function normaliseId(text: string | null): string | null {
  const id = text?.trim().toLowerCase() ?? ''
  return id === '' || id.length > longestId ? null : id
}

const ofPerson = 'of:'

/** The name tells staff in live news that anything of this person changed. It is no subject, and is not counted as one. */
export const somethingOf = (userUuid: string): string => `${ofPerson}${userUuid}`

export const isSomethingOf = (name: string): boolean => name.startsWith(ofPerson)

/** The queue has at most this many shards. More projectors than this would have nothing to do. */
export const shardCount = 8

/** Hashes are below this number, which every allowed number of shards divides. */
const hashes = 256

/**
 * The hash of a subject is 0 to 255. The remainder of its division by the number of shards is the subject's shard. It is
 * FNV-1a over UTF-16 code units, folded to eight bits.
 */
export function shardHash(subjectId: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < subjectId.length; at++) {
    hash = Math.imul(hash ^ subjectId.charCodeAt(at), 0x01000193)
  }
  return ((hash >>> 16) ^ (hash >>> 8) ^ hash) & (hashes - 1)
}
