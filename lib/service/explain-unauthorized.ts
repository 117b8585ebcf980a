import 'server-only'
import { z } from 'zod'
import type { ServiceClient } from './client.ts'
import { ServiceError, type ServiceErrorCode } from './errors.ts'

/**
 * Finds out why a user-scoped call was answered 401 (§5.4, §7) by a call that needs the API key only. If that
 * is answered 401 too, the key is refused and the session is not to blame.
 * @throws ServiceError when that call fails; then nothing is known and nothing should be dropped
 */
export async function explainUnauthorized(service: ServiceClient): Promise<'key-refused' | 'session-ended'> {
  try {
    await service.request({ method: 'GET', path: '/supported/countries' }, z.unknown())
    return 'session-ended'
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'unauthorized') return 'key-refused'
    if (keyWasAccepted.has(error.code)) return 'session-ended'
    throw error
  }
}

/** ASSUMED: the service looks at the key before anything else it could refuse. */
const keyWasAccepted: ReadonlySet<ServiceErrorCode> = new Set([
  'invalid',
  'not-found',
  'conflict',
  'rejected',
])
