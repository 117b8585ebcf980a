import { type Envelope, parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { canonicalJson } from '#lib/deliveries/rules/json.ts'
import type { Subject } from '#lib/deliveries/rules/subject.ts'
import type { DeliveryFact } from '#lib/timeline/rules/fold.ts'
import { foldSubject, type SubjectFold } from '#lib/timeline/rules/fold.ts'

/** The seconds of a sample count from 2026-01-31 14:00:00 UTC. */
export const start = Date.UTC(2026, 0, 31, 14)

export const transactionUuid = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
export const transaction: Subject = { kind: 'transaction', id: transactionUuid }

/** A sample describes one delivery: its time, its body, its receiver, and the outcome of its answer. */
export interface Sample {
  readonly at: number
  readonly body: unknown
  readonly receiver?: string
  readonly answer?: 'sure' | 'unsure'
  /** These values are stored beside a delivery. Their times are in seconds like `at`. */
  readonly otherReceivers?: number
  readonly refusedAt?: readonly number[]
  readonly offPeriods?: readonly (readonly [began: number, ended: number])[]
  readonly earliestAttempt?: number | null
}

export function envelopeOf(body: unknown): Envelope {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reading = parseEnvelope(new TextEncoder().encode(text))
  if (reading.kind === 'unreadable') throw new Error(`unreadable: ${reading.why}`)
  return reading.envelope
}

/** The body is a fiat to stablecoin step with further data. */
export const step = (subType: string, data: object = {}) => ({
  type: 'fiatToCrypto',
  subType,
  uuid: 'c0ffee00-0000-4000-8000-000000000001',
  data: { transactionUuid, direction: 'fiatToCrypto', ...data },
})

/** The facts of samples are in order of arrival. The canonical text serves as fingerprint. */
export function factsOf(samples: readonly Sample[]): {
  facts: DeliveryFact[]
  envelopes: Map<string, Envelope>
} {
  const envelopes = new Map<string, Envelope>()
  const facts = samples.map((sample, index): DeliveryFact => {
    const { at, body, receiver = 'r1', answer = 'sure' } = sample
    const { envelope, fingerprint } = readBody(body)
    envelopes.set(fingerprint, envelope)
    return {
      id: `delivery-${String(index).padStart(6, '0')}`,
      order: BigInt(index + 1),
      receivedAt: start + at * 1000,
      receiver,
      fingerprint,
      answer,
      ...evidenceOf(sample),
    }
  })
  return { facts, envelopes }
}

/** Many samples share their bodies, so their parsed form is kept. */
const read = new WeakMap<object, { envelope: Envelope; fingerprint: string }>()

function readBody(body: unknown) {
  const known = typeof body === 'object' && body !== null ? read.get(body) : undefined
  if (known) return known
  const envelope = envelopeOf(body)
  const reading = { envelope, fingerprint: canonicalJson(envelope.fields) }
  if (typeof body === 'object' && body !== null) read.set(body, reading)
  return reading
}

function evidenceOf({
  otherReceivers,
  refusedAt,
  offPeriods,
  earliestAttempt,
}: Sample): Partial<DeliveryFact> {
  const moment = (seconds: number) => start + seconds * 1000
  return {
    ...(otherReceivers === undefined ? {} : { otherReceivers }),
    ...(refusedAt ? { refusedAt: refusedAt.map(moment) } : {}),
    ...(offPeriods
      ? { offPeriods: offPeriods.map(([began, ended]) => ({ began: moment(began), ended: moment(ended) })) }
      : {}),
    // Either all of these values are known, or none.
    ...(earliestAttempt === undefined && otherReceivers === undefined
      ? {}
      : { earliestAttempt: typeof earliestAttempt === 'number' ? moment(earliestAttempt) : null }),
  }
}

export function foldSamples(samples: readonly Sample[], subject: Subject = transaction): SubjectFold {
  const { facts, envelopes } = factsOf(samples)
  return foldSubject(subject, facts, envelopes)
}
