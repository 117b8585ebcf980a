import 'server-only'
import type { RefusalReason } from '#lib/domain/refusal-reasons.ts'

/**
 * What the sender is told. Only a 2xx says "safe on disk"; every other answer makes it try again (§6.8).
 * ASSUMED: any 2xx counts as delivered (§6.7).
 */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The delivery that was stored; null when none was. */
  readonly deliveryId: string | null
}

/** How what is not stored is answered. */
export const refusals = {
  'wrong-method': () => refuse(405, 'Deliveries come by POST', { allow: 'POST' }),
  'unknown-receiver': () => refuse(404, 'No such receiver'),
  'wrong-secret': () => refuse(401, 'The signing secret does not match', { 'www-authenticate': 'API-Key' }),
  encoded: () => refuse(415, 'Content-Encoding is not taken: send the body as it is'),
  'too-large': () => refuse(413, 'A delivery has at most 1 MiB', { connection: 'close' }),
  'too-slow': () => refuse(408, 'The body took too long', { connection: 'close' }),
  'broken-off': () => refuse(400, 'The body ended early', { connection: 'close' }),
  /** The secret is being made or rotated: the next attempt will find it. */
  'secret-not-known-yet': () => later(30, 'The signing secret is not known here yet'),
  'secret-not-checkable': () => later(60, 'The signing secret cannot be checked here at the moment'),
  'queue-full': () => notStored(),
  'too-late': () => notStored(),
  'no-memory': () => notStored(),
  database: () => notStored(),
} as const satisfies Record<RefusalReason, () => Answer>

/** It is safe on disk. */
export const acknowledge = (deliveryId: string): Answer =>
  answer(200, { delivery: deliveryId }, {}, deliveryId)

const notStored = () => later(5, 'Not stored: send it again')

const refuse = (status: number, error: string, headers: Record<string, string> = {}) =>
  answer(status, { error }, headers, null)

const later = (seconds: number, error: string) => refuse(503, error, { 'retry-after': String(seconds) })

function answer(
  status: number,
  body: Record<string, string>,
  headers: Record<string, string>,
  deliveryId: string | null,
): Answer {
  const text = JSON.stringify(body)
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    },
    body: text,
    deliveryId,
  }
}
