import 'server-only'
import crypto from 'node:crypto'
import { type Envelope, parseEnvelope } from '#lib/domain/envelope.ts'
import { canonicalJson } from '#lib/domain/json.ts'
import { type Subject, subjectOf } from '#lib/domain/subject.ts'

/** What a body says. */
export interface Reading {
  /** Hex SHA-256 of the envelope as canonical JSON, or of the bytes when they are none. */
  readonly fingerprint: string
  readonly envelope: Envelope | null
  readonly unreadable: string | null
}

/** Reads a body; never refuses one. §2.4 */
export function readDelivery(body: Uint8Array): { readonly reading: Reading; readonly subject: Subject } {
  const parsed = parseEnvelope(body)
  const envelope = parsed.kind === 'envelope' ? parsed.envelope : null
  const fingerprint = crypto.hash('sha256', envelope ? canonicalJson(envelope.whole) : body)
  const unreadable = parsed.kind === 'unreadable' ? parsed.why : null
  return { reading: { fingerprint, envelope, unreadable }, subject: subjectOf(envelope, fingerprint) }
}

/** Reads a body whose fingerprint is known already. */
export function readAgain(body: Uint8Array, fingerprint: string): Reading {
  const parsed = parseEnvelope(body)
  if (parsed.kind === 'unreadable') return { fingerprint, envelope: null, unreadable: parsed.why }
  return { fingerprint, envelope: parsed.envelope, unreadable: null }
}
