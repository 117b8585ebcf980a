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
  readonly subject: Subject
}

/** Reads a body; never refuses one. §2.4 */
export function readDelivery(body: Uint8Array): Reading {
  const reading = parseEnvelope(body)
  const envelope = reading.kind === 'envelope' ? reading.envelope : null
  const fingerprint = crypto.hash('sha256', envelope ? canonicalJson(envelope.whole) : body)
  return {
    fingerprint,
    envelope,
    unreadable: reading.kind === 'unreadable' ? reading.why : null,
    subject: subjectOf(envelope, fingerprint),
  }
}
