import 'server-only'
import type { Outcome } from './outcome.ts'

/**
 * The answer to the sender. Only a 2xx says "safe on disk"; every other answer makes it try again (§6.8). ASSUMED:
 * any 2xx counts as delivered (§6.7).
 */
export interface IngestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The delivery that was stored; null when none was. */
  readonly deliveryId: string | null
}

export function answerTo(outcome: Outcome): IngestAnswer {
  const { status, headers, error } = answers[outcome.kind]
  const deliveryId = outcome.kind === 'stored' ? outcome.deliveryId : null
  const body = JSON.stringify(deliveryId === null ? { error } : { delivery: deliveryId })
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
    body,
    deliveryId,
  }
}

interface AnswerParts {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly error?: string
}

const close = { connection: 'close' }

const retryAfter = (seconds: number, error: string): AnswerParts => ({
  status: 503,
  headers: { 'retry-after': String(seconds) },
  error,
})

const notStored = retryAfter(5, 'Not stored: send it again')

const answers: Readonly<Record<Outcome['kind'], AnswerParts>> = {
  stored: { status: 200 },
  'wrong-method': { status: 405, headers: { allow: 'POST' }, error: 'Deliveries come by POST' },
  'unknown-receiver': { status: 404, error: 'No such receiver' },
  'wrong-secret': {
    status: 401,
    headers: { 'www-authenticate': 'API-Key' },
    error: 'The signing secret does not match',
  },
  encoded: { status: 415, error: 'Content-Encoding is not taken: send the body as it is' },
  'too-large': { status: 413, headers: close, error: 'A delivery has at most 1 MiB' },
  'too-slow': { status: 408, headers: close, error: 'The body took too long' },
  'broken-off': { status: 400, headers: close, error: 'The body ended early' },
  // The secret is being created or rotated: the sender's next attempt will find it.
  'secret-not-known-yet': retryAfter(30, 'The signing secret is not known here yet'),
  'secret-not-checkable': retryAfter(60, 'The signing secret cannot be checked here at the moment'),
  'queue-full': notStored,
  'too-late': notStored,
  'no-memory': notStored,
  database: notStored,
}
