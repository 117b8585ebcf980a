import 'server-only'
import { z } from 'zod'
import { Refused, waitTime } from '#lib/platform/refusals.ts'
import type { Sentence } from '#lib/words/labels/refusals.ts'
import type { serviceRefusals } from './labels/refusals.ts'

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

/** The contract's `string (uuid)` allows any version; the text is kept as the service writes it. */
export const uuidSchema = z.guid()

/** The contract does not promise this text: absent, blank or of another type, it reads as null. */
export const optionalTextSchema = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => (text?.trim() ? text : null))

/** An HTTP header can carry only visible ASCII. A credential with anything else could never have been valid. */
export const headerValueSchema = z.string().regex(/^[!-~]+$/)

/**
 * ASSUMED: a list of `item` is a bare array, or an object in which exactly one field is an array; the contract says "list".
 */
export const listOf = <Item extends z.ZodType>(item: Item) => z.preprocess(unwrapList, z.array(item))

function unwrapList(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const lists = Object.values(body).filter(Array.isArray)
  return lists.length === 1 ? lists[0] : body
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

/** These operations of the contract (§4) explain their failures; sign-in has its own refusals. */
export type ServiceOperation = keyof typeof operations

/**
 * Only this function turns a failed call into a refusal. It says nothing that the service did not say; the
 * service's own message is in `error.serviceMessage`, for staff.
 */
export function serviceRefusal(error: ServiceError, operation: ServiceOperation): Refused {
  const { code } = error
  return new Refused(codeFor(error, operations[operation]), {
    cause: { sentence: `cause-${code}` },
    remedy: { sentence: `remedy-${code}` },
    asks: asksToWait(error),
  })
}

function codeFor({ code, mayHaveTakenEffect }: ServiceError, codes: OperationCodes): FailureCode {
  return codes.special?.[code] ?? ((mayHaveTakenEffect && codes.unsure) || codes.failed)
}

interface OperationCodes {
  /** `failed` is used when the operation surely did not happen. */
  readonly failed: FailureCode
  /** `unsure` is used when the operation may have happened; it is missing when that makes no difference to the person. */
  readonly unsure?: FailureCode
  /** `special` is used for a status to which §7 gives its own meaning for this call. */
  readonly special?: Partial<Record<ServiceErrorCode, FailureCode>>
}

type FailureCode = keyof typeof serviceRefusals | OfCustomers

/** Customers meet these, so their words are in the catalogues. */
type OfCustomers =
  | 'account-not-created'
  | 'account-maybe-created'
  | 'profile-not-read'
  | 'user-unknown'
  | 'countries-not-read'

const operations = {
  'create-user': { failed: 'account-not-created', unsure: 'account-maybe-created' },
  'get-user': { failed: 'profile-not-read', special: { 'not-found': 'user-unknown' } },
  'create-endpoint': {
    failed: 'endpoint-not-created',
    unsure: 'endpoint-maybe-created',
    special: { invalid: 'new-endpoint-invalid' },
  },
  'read-merchant': { failed: 'merchant-not-read' },
  'share-verification': {
    failed: 'token-not-made',
    unsure: 'token-maybe-made',
    special: { 'not-found': 'token-user-unknown' },
  },
  'list-endpoints': { failed: 'endpoints-not-read' },
  'get-endpoint': { failed: 'endpoint-not-read' },
  'update-endpoint': {
    failed: 'endpoint-not-changed',
    unsure: 'endpoint-maybe-changed',
    special: { invalid: 'endpoint-change-invalid', 'not-found': 'endpoint-deleted' },
  },
  'rotate-secret': {
    failed: 'secret-not-rotated',
    unsure: 'secret-maybe-rotated',
    special: { 'not-found': 'endpoint-deleted' },
  },
  /** The endpoint has just been pointed here, and a rotation is to give its secret. */
  'secret-for-here': {
    failed: 'secret-for-here-missing',
    special: { 'not-found': 'endpoint-deleted' },
  },
  'delete-endpoint': { failed: 'endpoint-not-deleted', unsure: 'endpoint-maybe-deleted' },
  'list-supported-countries': { failed: 'countries-not-read' },
} satisfies Record<string, OperationCodes>

function asksToWait({ retryAfterSeconds }: ServiceError): Sentence | '' {
  return retryAfterSeconds ? { sentence: 'asks', wait: waitTime(retryAfterSeconds) } : ''
}

/** `.catch` takes this: an error of the service becomes a refusal; any other error stays as it is. */
export const refuseWithServiceMessage =
  (operation: ServiceOperation) =>
  (error: unknown): never => {
    throw error instanceof ServiceError ? serviceRefusal(error, operation) : error
  }
