import 'server-only'
import type { ServiceError, ServiceErrorCode } from './errors.ts'

/** One member for each operation of the contract that Rampart calls (§4). */
export type ServiceOperation =
  | 'login-with-wallet'
  | 'send-one-time-password'
  | 'exchange-one-time-password'
  | 'create-user'
  | 'get-user'
  | 'create-endpoint'
  | 'list-endpoints'
  | 'get-endpoint'
  | 'update-endpoint'
  | 'rotate-secret'
  | 'delete-endpoint'
  | 'list-supported-countries'

/** `title`: what happened, or did not. `next`: why, and what to do. Both are whole sentences. */
export type ErrorWords = { readonly title: string; readonly next: string }

/**
 * The only place that puts a failed call into words for people. Says nothing that the service did not say: its own
 * message is in `error.serviceMessage`, for staff.
 */
export function serviceErrorWords(error: ServiceError, operation: ServiceOperation): ErrorWords {
  const { title, next } = wordsFor(error, operations[operation])
  return { title, next: next + waitOf(error) }
}

function wordsFor({ code, mayHaveTakenEffect }: ServiceError, words: OperationWords): ErrorWords {
  const special = words.special?.[code]
  if (special !== undefined) return special
  if (mayHaveTakenEffect && words.unsure !== undefined) {
    return { title: words.unsure.title, next: `${causes[code]} ${words.unsure.next}` }
  }
  return { title: words.failed, next: `${causes[code]} ${remedies[code]}` }
}

type OperationWords = {
  /** When it surely did not happen. */
  readonly failed: string
  /** When it may have happened; left out where that makes no difference to the person. */
  readonly unsure?: ErrorWords
  /** Where §7 gives the status a meaning of its own for this call. */
  readonly special?: Partial<Record<ServiceErrorCode, ErrorWords>>
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
  cancelled: 'The request was cancelled.',
} satisfies Record<ServiceErrorCode, string>

const remedies = {
  invalid: 'Check what was entered and try again.',
  unauthorized: 'An administrator must check the key in this dashboard’s configuration.',
  forbidden: 'Ask the service whether your account includes it.',
  'not-found': 'Reload the page: it may have been removed.',
  conflict: 'Reload the page and compare before trying again.',
  'too-many': 'Wait a few minutes, then try again.',
  rejected: 'Check what was entered; if it is right, contact support.',
  unavailable: 'Try again in a minute.',
  'timed-out': 'Try again in a minute.',
  unreachable: 'Try again in a minute.',
  nonsense: 'Try again; if it stays, contact support.',
  cancelled: 'Start again when you are ready.',
} satisfies Record<ServiceErrorCode, string>

const signInClosed = {
  title: 'Signing in is not possible at the moment.',
  next: 'The service does not accept this dashboard’s API key. Contact support; only they can put it right.',
}

const endpointGone = {
  title: 'This endpoint no longer exists.',
  next: 'The service does not know it. Go back to the list of endpoints.',
}

const operations = {
  'login-with-wallet': {
    failed: 'You are not signed in.',
    unsure: {
      title: 'Signing in did not finish.',
      next: 'Try again; your wallet will ask for a new signature.',
    },
    special: {
      invalid: {
        title: 'The service refused this signature.',
        next: 'Sign a new message. If it is refused again, sign in with an e-mail code.',
      },
      unauthorized: {
        title: 'The service did not accept this signature.',
        next: 'It must come from the wallet address that your account was created with, and in time. Switch to that account and sign again, or sign in with an e-mail code.',
      },
      'not-found': {
        title: 'No account belongs to this wallet.',
        next: 'Switch to the wallet address that your account was created with, or sign up first.',
      },
    },
  },
  'send-one-time-password': {
    failed: 'No code was sent.',
    unsure: {
      title: 'The code may not have been sent.',
      next: 'Look at your inbox; if nothing comes within a minute, ask for a new code.',
    },
    special: {
      unauthorized: signInClosed,
      'not-found': {
        title: 'No account belongs to this address.',
        next: 'Check the address, or sign up first.',
      },
      'too-many': {
        title: 'Too many codes were asked for.',
        next: 'The latest code may still be in your inbox. Wait a few minutes before you ask for another.',
      },
    },
  },
  'exchange-one-time-password': {
    failed: 'You are not signed in.',
    unsure: {
      title: 'Signing in did not finish.',
      next: 'Try again; if the code is refused, ask for a new one.',
    },
    special: {
      invalid: {
        title: 'The service refused this code.',
        next: 'Type it exactly as it is in the latest e-mail, or ask for a new code.',
      },
      unauthorized: {
        title: 'This code is wrong or has expired.',
        next: 'Use the code from the latest e-mail, or ask for a new one.',
      },
      'not-found': {
        title: 'No account belongs to this address.',
        next: 'Check the address, or sign up first.',
      },
      'too-many': {
        title: 'Too many codes were tried.',
        next: 'Wait a few minutes, then ask for a new code.',
      },
    },
  },
  'create-user': {
    failed: 'The account was not created.',
    unsure: {
      title: 'The account may have been created all the same.',
      next: 'Wait a minute and try again. If the address is then said to be taken, the account exists: contact support to have it connected.',
    },
    special: {
      conflict: {
        title: 'This e-mail address already has an account.',
        next: 'Sign in with it, or use another address.',
      },
    },
  },
  'get-user': {
    failed: 'The profile could not be read.',
    special: {
      unauthorized: {
        title: 'Your session at the service has ended.',
        next: 'Sign in again to see the profile.',
      },
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
  'list-endpoints': {
    failed: 'The endpoints could not be read.',
  },
  'get-endpoint': {
    failed: 'The endpoint could not be read.',
    special: { 'not-found': endpointGone },
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
    special: { 'not-found': endpointGone },
  },
  'list-supported-countries': {
    failed: 'The supported countries could not be read.',
  },
} satisfies Record<ServiceOperation, OperationWords>

function waitOf({ retryAfterSeconds }: ServiceError): string {
  return retryAfterSeconds ? ` The service asks to wait ${inWords(retryAfterSeconds)}.` : ''
}

function inWords(seconds: number): string {
  if (seconds <= 90) return seconds === 1 ? '1 second' : `${seconds} seconds`
  if (seconds <= 90 * 60) return `${Math.ceil(seconds / 60)} minutes`
  return `${Math.ceil(seconds / 3600)} hours`
}
