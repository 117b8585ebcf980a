import 'server-only'
import { logOf } from '#lib/platform/log.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { explainUnauthorized, serviceClient } from '#lib/service/service-client.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'

const log = logOf('sign-in')

/**
 * Each way of signing in gives its own meaning to the service's refusals (§7): 401, 404, and any other 4xx about the input.
 */
interface RefusalMeanings {
  readonly unauthorized: SignInRefusal
  readonly unknown: SignInRefusal
  readonly malformed: SignInRefusal
}

export const walletRefusals: RefusalMeanings = {
  unauthorized: 'wrong-wallet',
  unknown: 'unknown-wallet',
  malformed: 'message-refused',
}

export const codeRefusals: RefusalMeanings = {
  unauthorized: 'code-refused',
  unknown: 'code-refused',
  malformed: 'code-refused',
}

/** The service did not sign somebody in, for the reason of this code. A 401 can also mean that the API key is refused. */
export async function explainServiceRefusal(
  error: unknown,
  meanings: RefusalMeanings,
): Promise<SignInRefusal> {
  if (!(error instanceof ServiceError)) throw error
  switch (error.code) {
    case 'unauthorized':
    case 'not-found': {
      const why = await explainUnauthorized(serviceClient()).catch(noAnswer)
      if (why !== 'session-ended') return why === 'key-refused' ? why : 'service-unavailable'
      return error.code === 'unauthorized' ? meanings.unauthorized : meanings.unknown
    }
    case 'invalid':
    case 'rejected':
    case 'conflict':
      return meanings.malformed
    case 'too-many':
      return 'service-busy'
    case 'forbidden':
    case 'unavailable':
    case 'timed-out':
    case 'unreachable':
    case 'nonsense':
      return 'service-unavailable'
  }
}

function noAnswer(error: unknown): 'no-answer' {
  if (!(error instanceof ServiceError)) throw error
  log.warn({ err: error }, 'Whether the API key is refused could not be asked')
  return 'no-answer'
}
