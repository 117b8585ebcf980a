import 'server-only'
import { z } from 'zod'
import { optionalTextSchema } from './wire.ts'

/**
 * What the remote side can answer instead of what was asked, or fail to answer (§7).
 *
 * - `invalid` 400 · `unauthorized` 401 · `forbidden` 403 · `not-found` 404 · `conflict` 409 · `too-many` 429
 * - `rejected`: any other 4xx
 * - `unavailable`: 5xx
 * - `timed-out`: no whole answer in time · `unreachable`: no connection, or it broke
 * - `nonsense`: an answer, but not the one that the contract promises
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
 * The one error of `lib/service`. It carries no cause, no request and no header, so that whoever logs or shows it
 * can leak no credential.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ServiceErrorCode
  /** HTTP status of the answer; null when there was none, or none was asked for. */
  readonly status: number | null
  /** Seconds the service asks to wait (0 to 86,400), from `Retry-After`. */
  readonly retryAfterSeconds: number | null
  /** The service's own words: one line, at most 300 characters, without what was secret in the request. For staff. */
  readonly serviceMessage: string | null
  /** The service's number for this error, to quote to its support. */
  readonly errorId: string | null
  /** True when a write may have happened although no proper answer came back. */
  readonly mayHaveTakenEffect: boolean

  /** @param route method and path template, such as `GET /merchant/webhook-endpoints/{id}` */
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

/** Whether the service surely did nothing of what was asked: it refused, or was never reached. */
export const surelyNotDone = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && !error.mayHaveTakenEffect

/**
 * What an answer outside 2xx says (§7). The body's shape is not shown in the contract: any body is survived.
 * @param secrets what the request carried and nobody may read again, should the service echo it
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

// ASSUMED: `{ message, error_id }` as in recorded answers; the contract shows no error body.
const ErrorBodySchema = z
  .object({ message: optionalTextSchema, error_id: optionalTextSchema })
  .catch({ message: null, error_id: null })

function codeOf(status: number): ServiceErrorCode {
  if (status >= 500) return 'unavailable'
  // A redirect is never followed: the credentials would travel with it.
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

/** Whole seconds to wait (0 to 86,400) from delta-seconds or an HTTP date; null when absent or unreadable. */
function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  let seconds = Number.NaN
  if (/^\d+$/.test(text)) seconds = Number(text)
  // `Date.parse` alone would also take "-5" for a date.
  else if (text.endsWith('GMT')) seconds = Math.ceil((Date.parse(text) - nowMs) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), 86_400)
}

/** One printable line without secrets. They go before the cut, so that no part of one can remain. */
function presentable(text: string | null, secrets: readonly string[], maxLength: number): string | null {
  if (text === null) return null
  let clean = text
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[removed]')
  clean = clean.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const characters = Array.from(clean)
  if (characters.length > maxLength) return `${characters.slice(0, maxLength - 1).join('')}…`
  return clean === '' ? null : clean
}
