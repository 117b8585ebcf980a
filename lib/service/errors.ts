import 'server-only'

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
