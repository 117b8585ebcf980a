import 'server-only'
import type { ServiceClient } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { explainUnauthorized } from '#lib/service/service-client.ts'
import { getUser, type ServiceUser } from '#lib/service/users.ts'

/**
 * What the service said when it was asked for a user. `not-found` and `refused` are its last word; `unreadable` is an
 * answer that makes no sense; `later` is not about this user: the service is busy, down, or refuses the API key.
 */
export type UserReading =
  | { readonly kind: 'read'; readonly user: ServiceUser }
  | { readonly kind: 'not-found' | 'refused' | 'unreadable' }
  | {
      readonly kind: 'later'
      readonly why: 'too-many' | 'down' | 'key-refused'
      /** As the service asks; null where it said nothing. */
      readonly seconds: number | null
    }

/** Asks the service for a user by uuid (§4.3, §5.1). */
export async function readUser(service: ServiceClient, userUuid: string): Promise<UserReading> {
  try {
    return { kind: 'read', user: await getUser(service, { userUuid }) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.code === 'unauthorized' ? explain(service) : readingOf(error)
  }
}

function readingOf({ code, retryAfterSeconds: seconds }: ServiceError): UserReading {
  if (code === 'not-found') return { kind: 'not-found' }
  if (code === 'nonsense') return { kind: 'unreadable' }
  if (code === 'too-many') return { kind: 'later', why: 'too-many', seconds }
  if (code === 'unavailable' || code === 'timed-out' || code === 'unreachable')
    return { kind: 'later', why: 'down', seconds }
  return { kind: 'refused' }
}

/** A refused API key says nothing about the user. */
async function explain(service: ServiceClient): Promise<UserReading> {
  try {
    const why = await explainUnauthorized(service)
    return why === 'key-refused' ? { kind: 'later', why, seconds: null } : { kind: 'refused' }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'later', why: 'down', seconds: error.retryAfterSeconds }
  }
}
