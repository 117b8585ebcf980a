import 'server-only'
import { type RefusalReason, refusalStatuses } from '../rules/refusal-reasons.ts'

/** `IngestRequest` is a delivery's request, independent of the HTTP server. */
export interface IngestRequest {
  /** The logs and the answer name the request by this id. */
  readonly id: string
  readonly method: string
  /** The id is the last part of the path, unchanged. */
  readonly receiverId: string
  /** `header` joins repeated values by `, `, and returns null for a missing header. `name` is in lower case. */
  header(name: string): string | null
  /** `caller` finds the sender's address behind our own proxies; null when it is unknown. */
  caller(find: FindAddress): string | null
  /** `readBody` reads up to `limit` bytes in `ms`. It calls `reserve` for their memory before it keeps them. */
  readBody(limit: number, ms: number, reserve: (bytes: number) => boolean): Promise<BodyOutcome>
}

/** The address is found from that of the connection and from `X-Forwarded-For`. */
export type FindAddress = (connection: string | undefined, forwardedFor: string | null) => string | null

export type BodyOutcome = { readonly kind: 'read'; readonly body: Uint8Array } | Rejection

/** A body has at most 1 MiB. */
export const bodyLimit = 1024 * 1024

/** ASSUMED: a sender that needs more milliseconds for its body is answered 408. */
export const bodyTimeLimit = 10_000

/** The outcome of a request to a receiver decides the answer by its `kind` (`answerTo`). */
export type Outcome = { readonly kind: 'stored'; readonly deliveryId: string } | Rejection

/** It is not known that a rejected delivery is on disk. Each step of `receive` returns the input of the next step, or a rejection. */
export type Rejection =
  /** `cause` is the error of the database or of the connection to it. It is absent when the database was only slow. */
  | { readonly kind: 'database' | 'too-late'; readonly cause?: unknown }
  /** `keyId` names the key of the stored secret, which cannot be used here. */
  | { readonly kind: 'secret-not-checkable'; readonly keyId: string }
  | { readonly kind: Exclude<RefusalReason, 'database' | 'too-late' | 'secret-not-checkable'> }

/**
 * Only a 2xx answer tells the sender "safe on disk". ASSUMED: any 2xx counts as delivered, and after every other answer the
 * sender tries again (§6.7, §6.8).
 */
export interface IngestAnswer {
  readonly reason: Outcome['kind']
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The id is that of the stored delivery; null when none was stored. */
  readonly deliveryId: string | null
}

export function answerTo(outcome: Outcome): IngestAnswer {
  const { headers, error } = answers[outcome.kind]
  const deliveryId = outcome.kind === 'stored' ? outcome.deliveryId : null
  const body = JSON.stringify(deliveryId === null ? { error } : { delivery: deliveryId })
  return {
    reason: outcome.kind,
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
  // The secret is being created or rotated, so the sender's next attempt will find it.
  'secret-not-known-yet': retryAfter(30, 'The signing secret is not known here yet'),
  'secret-not-checkable': retryAfter(60, 'The signing secret cannot be checked here at the moment'),
  'queue-full': notStored,
  'too-late': notStored,
  'no-memory': notStored,
  database: notStored,
}
