import 'server-only'
import { type RefusalReason, refusalStatuses } from '../rules/refusal-reasons.ts'

/** A delivery's request, whatever server took it. */
export interface IngestRequest {
  readonly method: string
  /** The last part of the path, as it came. */
  readonly receiverId: string
  /** A header's values joined by `, ` where it came more than once; null without it. `name` in lower case. */
  header(name: string): string | null
  /** The address that it came from, past our own proxies; null when nobody says. */
  caller(find: FindAddress): string | null
  /** Reads the body up to `limit` bytes, calling `reserve` for their memory before it keeps any of them. */
  readBody(limit: number, reserve: (bytes: number) => boolean): Promise<BodyOutcome>
}

/** From the address of the connection and `X-Forwarded-For`. */
export type FindAddress = (connection: string | undefined, forwardedFor: string | null) => string | null

export type BodyOutcome = { readonly kind: 'read'; readonly body: Uint8Array } | Rejection

/** The most that a body may have: 1 MiB. */
export const bodyLimit = 1024 * 1024

/** ASSUMED: a sender that needs longer for its body is answered 408. Milliseconds. */
export const bodyTimeLimit = 10_000

/** What became of a request to a receiver. Its `kind` decides the answer (`answer.ts`). */
export type Outcome = { readonly kind: 'stored'; readonly deliveryId: string } | Rejection

/** The delivery is not surely on disk. Each step of `receive.ts` answers what the next one needs, or a rejection. */
export type Rejection =
  /** `cause`: what the database, or the way to it, threw; absent when it was only slow. */
  | { readonly kind: 'database' | 'too-late'; readonly cause?: unknown }
  /** `keyId`: the key under which the secret is kept, which cannot be used here. */
  | { readonly kind: 'secret-not-checkable'; readonly keyId: string }
  | { readonly kind: Exclude<RefusalReason, 'database' | 'too-late' | 'secret-not-checkable'> }

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
