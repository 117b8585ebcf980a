import 'server-only'
import { z } from 'zod'
import { optionalTextSchema } from './wire.ts'

/**
 * A failed call has one of these codes (§7).
 *
 * - `invalid` 400 · `unauthorized` 401 · `forbidden` 403 · `not-found` 404 · `conflict` 409 · `too-many` 429
 * - `rejected`: any other 4xx
 * - `unavailable`: 5xx
 * - `timed-out`: no whole response in time · `unreachable`: no connection, or it broke
 * - `nonsense`: a response that the contract does not promise
 */
export type ServiceErrorCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'too-many'
  | 'rejected'
  | 'unavailable'
  | 'timed-out'
  | 'unreachable'
  | 'nonsense'

export interface ServiceErrorFacts {
  readonly code: ServiceErrorCode
  readonly status?: number
  readonly retryAfterSeconds?: number | null
  readonly serviceMessage?: string | null
  readonly errorId?: string | null
  readonly mayHaveTakenEffect?: boolean
  readonly detail?: string
}

/**
 * `lib/service` throws only this error. It has no cause, request or header, so that logging or showing it leaks
 * no credential.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ServiceErrorCode
  /** `status` is the HTTP status of the response; null when there was no response, or no request. */
  readonly status: number | null
  /** The service asks to wait this many seconds (0 to 86,400), in `Retry-After`. */
  readonly retryAfterSeconds: number | null
  /** The service's own message is one line of at most 300 characters, without secrets of the request. It is for staff. */
  readonly serviceMessage: string | null
  /** The service gave the error this number; its support asks for it. */
  readonly errorId: string | null
  /** True when a write may have happened although no proper response came back. */
  readonly mayHaveTakenEffect: boolean

  /** `route` is the method and path template, such as `GET /merchant/webhook-endpoints/{id}`. */
  constructor(route: string, facts: ServiceErrorFacts) {
    const status = facts.status === undefined ? '' : ` (${facts.status})`
    super(`${route}: ${facts.code}${status}${facts.detail ? `, ${facts.detail}` : ''}`)
    this.code = facts.code
    this.status = facts.status ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.serviceMessage = facts.serviceMessage ?? null
    this.errorId = facts.errorId ?? null
    this.mayHaveTakenEffect = facts.mayHaveTakenEffect ?? false
  }
}

/** The service surely did nothing: it refused, or was never reached. */
export const surelyNotDone = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && !error.mayHaveTakenEffect

/**
 * A response outside 2xx is read here (§7). The contract does not show the body's shape, so any body is
 * accepted. `secrets` were in the request and are removed if the service repeats them.
 */
export function readRefusal(
  status: number,
  retryAfter: string | null,
  body: unknown,
  secrets: readonly string[],
): ServiceErrorFacts {
  const { message, error_id } = ErrorBodySchema.parse(body)
  return {
    code: codeOf(status),
    status,
    retryAfterSeconds: readRetryAfter(retryAfter, Date.now()),
    serviceMessage: presentable(message, secrets, 300),
    errorId: presentable(error_id, secrets, 100),
    mayHaveTakenEffect: status >= 500,
  }
}

// ASSUMED: `{ message, error_id }` as in recorded responses; the contract shows no error body.
const ErrorBodySchema = z
  .object({ message: optionalTextSchema, error_id: optionalTextSchema })
  .catch({ message: null, error_id: null })

function codeOf(status: number): ServiceErrorCode {
  if (status >= 500) return 'unavailable'
  // A redirect is never followed, because the credentials would be sent to its target.
  if (status < 400) return 'nonsense'
  return codeByStatus.get(status) ?? 'rejected'
}

const codeByStatus = new Map<number, ServiceErrorCode>([
  [400, 'invalid'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [409, 'conflict'],
  [429, 'too-many'],
])

/** The wait in whole seconds (0 to 86,400) comes from delta-seconds or an HTTP date; null when absent or unreadable. */
function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  let seconds = Number.NaN
  if (/^\d+$/.test(text)) seconds = Number(text)
  // `Date.parse` alone would also read "-5" as a date.
  else if (text.endsWith('GMT')) seconds = Math.ceil((Date.parse(text) - nowMs) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), 86_400)
}

/**
 * The result is one printable line without secrets. Secrets are removed before the text is cut, so that no part
 * of one remains.
 */
function presentable(text: string | null, secrets: readonly string[], maxLength: number): string | null {
  if (text === null) return null
  let clean = text
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[removed]')
  clean = clean.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const characters = Array.from(clean)
  if (characters.length > maxLength) return `${characters.slice(0, maxLength - 1).join('')}…`
  return clean === '' ? null : clean
}
