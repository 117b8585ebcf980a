import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import type { EndpointView } from './endpoint-view.ts'

/** One endpoint, or null when the service knows none of this uuid. Throws `Refused`. */
export async function findEndpoint(_caller: Caller, _uuid: string): Promise<EndpointView | null> {
  return null
}
