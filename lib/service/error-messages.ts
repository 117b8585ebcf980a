import 'server-only'
import { Refused } from '#lib/platform/refusals.ts'
import { ServiceError, type ServiceErrorCode } from './errors.ts'

/** These messages explain failures of the operations in the contract (§4); sign-in has its own messages. */
export type ServiceOperation = keyof typeof operations

/** `title` says what happened or did not. `next` says why, and what to do. Both are whole sentences. */
interface ServiceErrorMessage {
  readonly title: string
  readonly next: string
}

/**
 * Only this function turns a failed call into a message for people. It says nothing that the service did not
 * say; the service's own message is in `error.serviceMessage`, for staff.
 */
export function serviceErrorMessage(error: ServiceError, operation: ServiceOperation): ServiceErrorMessage {
  const { title, next } = messageFor(error, operations[operation])
  return { title, next: next + waitMessage(error) }
}

function messageFor(
  { code, mayHaveTakenEffect }: ServiceError,
  words: OperationMessages,
): ServiceErrorMessage {
  const special = words.special?.[code]
  if (special !== undefined) return special
  if (mayHaveTakenEffect && words.unsure !== undefined) {
    return { title: words.unsure.title, next: `${causes[code]} ${words.unsure.next}` }
  }
  return { title: words.failed, next: `${causes[code]} ${remedies[code]}` }
}

interface OperationMessages {
  /** `failed` is the title when the operation surely did not happen. */
  readonly failed: string
  /** `unsure` is used when the operation may have happened; it is missing when that makes no difference to the person. */
  readonly unsure?: ServiceErrorMessage
  /** `special` is used for a status to which §7 gives its own meaning for this call. */
  readonly special?: Partial<Record<ServiceErrorCode, ServiceErrorMessage>>
}

const causes = {
  invalid: 'The service refused what was sent.',
  unauthorized: 'The service does not accept this dashboard’s API key.',
  forbidden: 'The service does not allow this.',
  'not-found': 'The service does not know it.',
  conflict: 'It contradicts something that the service already holds.',
  'too-many': 'The service was asked too often.',
  rejected: 'The service refused the request.',
  unavailable: 'The service reports a fault of its own.',
  'timed-out': 'The service did not answer in time.',
  unreachable: 'The service could not be reached, or the connection broke.',
  nonsense: 'The service gave an answer that cannot be read.',
} satisfies Record<ServiceErrorCode, string>

const remedies = {
  invalid: 'Check what was entered and try again.',
  unauthorized: 'An administrator gives another key under Settings.',
  forbidden: 'Ask the service whether your account includes it.',
  'not-found': 'Reload the page: it may have been removed.',
  conflict: 'Reload the page and compare before trying again.',
  'too-many': 'Wait a few minutes, then try again.',
  rejected: 'Check what was entered; if it is right, contact support.',
  unavailable: 'Try again in a minute.',
  'timed-out': 'Try again in a minute.',
  unreachable: 'Try again in a minute.',
  nonsense: 'Try again; if it stays, contact support.',
} satisfies Record<ServiceErrorCode, string>

const endpointGone = {
  title: 'This endpoint no longer exists.',
  next: 'The service does not know it. Go back to the list of endpoints.',
}

const operations = {
  'create-user': {
    failed: 'The account was not created.',
    unsure: {
      title: 'The account may have been created all the same.',
      next: 'Wait a minute and try again. If the address is then said to be taken, the account exists: contact support to have it connected.',
    },
  },
  'get-user': {
    failed: 'The profile could not be read.',
    special: {
      'not-found': {
        title: 'The service does not know this user.',
        next: 'Check the user’s id; the user must be created before anything can be read.',
      },
    },
  },
  'create-endpoint': {
    failed: 'The endpoint was not created.',
    unsure: {
      title: 'The endpoint may have been created all the same.',
      next: 'Look for its address in the list of endpoints before you create it again.',
    },
    special: {
      invalid: {
        title: 'The endpoint was not created.',
        next: 'The service refused its address, its description or one of its events. Check them and try again.',
      },
    },
  },
  'read-merchant': {
    failed: 'The merchant’s configuration could not be read.',
  },
  'share-verification': {
    failed: 'No share token was made.',
    unsure: {
      title: 'A share token may have been made, and was lost.',
      next: 'It cannot be read again: make another when you need one.',
    },
    special: {
      'not-found': {
        title: 'The service does not know this user.',
        next: 'Check the uuid; no token was made.',
      },
    },
  },
  'list-endpoints': {
    failed: 'The endpoints could not be read.',
  },
  'get-endpoint': {
    failed: 'The endpoint could not be read.',
  },
  'update-endpoint': {
    failed: 'The endpoint was not changed.',
    unsure: {
      title: 'The endpoint may have been changed all the same.',
      next: 'Reload the page to see how it is now, before you change it again.',
    },
    special: {
      invalid: {
        title: 'The endpoint was not changed.',
        next: 'The service refused its address, its state or one of its events. Check them and try again.',
      },
      'not-found': endpointGone,
    },
  },
  'rotate-secret': {
    failed: 'The secret was not rotated; the present one stays valid.',
    unsure: {
      title: 'The secret may have been rotated, and the new one was lost.',
      next: 'Rotate once more: until then deliveries may carry a secret that nobody here knows.',
    },
    special: { 'not-found': endpointGone },
  },
  'delete-endpoint': {
    failed: 'The endpoint was not deleted.',
    unsure: {
      title: 'The endpoint may have been deleted all the same.',
      next: 'Look at the list of endpoints before you try again.',
    },
  },
  'list-supported-countries': {
    failed: 'The supported countries could not be read.',
  },
} satisfies Record<string, OperationMessages>

function waitMessage({ retryAfterSeconds }: ServiceError): string {
  return retryAfterSeconds ? ` The service asks to wait ${formatWait(retryAfterSeconds)}.` : ''
}

function formatWait(seconds: number): string {
  if (seconds <= 90) return seconds === 1 ? '1 second' : `${seconds} seconds`
  if (seconds <= 90 * 60) return `${Math.ceil(seconds / 60)} minutes`
  return `${Math.ceil(seconds / 3600)} hours`
}

/** `.catch` takes this: an error of the service becomes a message for the person; any other error stays as it is. */
export const refuseWithServiceMessage =
  (operation: ServiceOperation) =>
  (error: unknown): never => {
    throw error instanceof ServiceError ? new Refused(serviceErrorMessage(error, operation)) : error
  }
