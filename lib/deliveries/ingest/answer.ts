import 'server-only'
import { refusalStatuses } from '../rules/refusal-reasons.ts'
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
  const { headers, error } = answers[outcome.kind]
  const deliveryId = outcome.kind === 'stored' ? outcome.deliveryId : null
  const body = JSON.stringify(deliveryId === null ? { error } : { delivery: deliveryId })
  return {
    status: outcome.kind === 'stored' ? 200 : refusalStatuses[outcome.kind],
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
  readonly headers?: Readonly<Record<string, string>>
  readonly error?: string
}

const retryAfter = (seconds: number, error: string): AnswerParts => ({
  headers: { 'retry-after': String(seconds) },
  error,
})

const unauthorized = (error: string): AnswerParts => ({ headers: { 'www-authenticate': 'API-Key' }, error })

const notStored = retryAfter(5, 'Not stored: send it again')

const answers: Readonly<Record<Outcome['kind'], AnswerParts>> = {
  stored: {},
  'wrong-method': { headers: { allow: 'POST' }, error: 'Deliveries come by POST' },
  'unknown-receiver': { error: 'No such receiver' },
  'wrong-secret': unauthorized('The signing secret does not match'),
  'no-authorization': unauthorized('There is no Authorization header, or none with a secret'),
  'other-scheme': unauthorized('Authorization has another scheme than API-Key'),
  encoded: {
    headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
    error: 'The body cannot be decompressed as Content-Encoding says',
  },
  'too-large': { error: 'A delivery has at most 1 MiB' },
  'too-slow': { error: 'The body took too long' },
  'broken-off': { error: 'The body ended early' },
  // The secret is being created or rotated: the sender's next attempt will find it.
  'secret-not-known-yet': retryAfter(30, 'The signing secret is not known here yet'),
  'secret-not-checkable': retryAfter(60, 'The signing secret cannot be checked here at the moment'),
  'queue-full': notStored,
  'too-late': notStored,
  'no-memory': notStored,
  database: notStored,
}
