import 'server-only'
import * as z from 'zod'
import type { ServiceClient } from './client.ts'
import { ServiceError, type ServiceErrorCode } from './errors.ts'

/**
 * Why a user-scoped call was answered 401 (§5.4, §7): asks what needs the API key alone. A 401 there too means that
 * the key is refused and that no session is to blame.
 * @throws ServiceError when that question got no answer either; then nothing is known and nothing should be dropped
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
