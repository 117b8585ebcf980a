import 'server-only'
import crypto from 'node:crypto'
import { type Envelope, parseEnvelope, type WhyUnreadable } from '#lib/deliveries/rules/envelope.ts'
import { identifiersOf } from '#lib/deliveries/rules/identifier.ts'
import { canonicalJson } from '#lib/deliveries/rules/json.ts'
import { type Subject, subjectOf } from '#lib/deliveries/rules/subject.ts'
import { summaryOf } from '#lib/deliveries/rules/summary.ts'

/** What a body says, without the body: it stays in the log. */
export interface BodyReading {
  /** Hex SHA-256 of the envelope as canonical JSON, or of the bytes when they are none. */
  readonly fingerprint: string
  /** A summary, see `summaryOf`. */
  readonly envelope: Envelope | null
  readonly unreadable: WhyUnreadable | null
  /** The ids that it carries, as far as they are known. */
  readonly identifiers: readonly string[]
}

/** Reads a body; never refuses one. §2.4 */
export function readDelivery(body: Uint8Array): { readonly reading: BodyReading; readonly subject: Subject } {
  const parsed = parseEnvelope(body)
  const envelope = parsed.kind === 'envelope' ? parsed.envelope : null
  const fingerprint = crypto.hash('sha256', envelope ? canonicalJson(envelope.fields) : body)
  const reading: BodyReading = {
    fingerprint,
    envelope: envelope && summaryOf(envelope),
    unreadable: parsed.kind === 'unreadable' ? parsed.why : null,
    identifiers: identifiersIn(envelope),
  }
  return { reading, subject: subjectOf(envelope, fingerprint) }
}

/** Reads a body whose fingerprint is known already. */
export function readKnownBody(body: Uint8Array, fingerprint: string): BodyReading {
  const parsed = parseEnvelope(body)
  if (parsed.kind === 'unreadable')
    return { fingerprint, envelope: null, unreadable: parsed.why, identifiers: [] }
  const { envelope } = parsed
  return {
    fingerprint,
    envelope: summaryOf(envelope),
    unreadable: null,
    identifiers: identifiersIn(envelope),
  }
}

/** Copied: a slice would keep the whole body in memory. */
const identifiersIn = (envelope: Envelope | null) =>
  envelope ? identifiersOf(envelope).map((value) => ` ${value}`.slice(1)) : []
