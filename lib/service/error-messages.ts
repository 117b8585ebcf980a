import 'server-only'
import { Refused } from '#lib/platform/refusals.ts'
import type { Sentence, WaitTime } from '#lib/words/labels/refusals.ts'
import { ServiceError, type ServiceErrorCode } from './errors.ts'
import type { serviceRefusals } from './labels/refusals.ts'

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
  'delete-endpoint': { failed: 'endpoint-not-deleted', unsure: 'endpoint-maybe-deleted' },
  'list-supported-countries': { failed: 'countries-not-read' },
} satisfies Record<string, OperationCodes>

function asksToWait({ retryAfterSeconds }: ServiceError): Sentence | '' {
  return retryAfterSeconds ? { sentence: 'asks', wait: askedTime(retryAfterSeconds) } : ''
}

function askedTime(seconds: number): WaitTime {
  if (seconds <= 90) return { n: seconds, unit: seconds === 1 ? 'second' : 'seconds' }
  if (seconds <= 90 * 60) return { n: Math.ceil(seconds / 60), unit: 'minutes' }
  return { n: Math.ceil(seconds / 3600), unit: 'hours' }
}

/** `.catch` takes this: an error of the service becomes a refusal; any other error stays as it is. */
export const refuseWithServiceMessage =
  (operation: ServiceOperation) =>
  (error: unknown): never => {
    throw error instanceof ServiceError ? serviceRefusal(error, operation) : error
  }
