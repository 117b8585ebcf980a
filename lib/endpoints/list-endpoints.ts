import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import type { EndpointView } from './endpoint-view.ts'

export type EndpointFilter = { readonly status?: 'active' | 'disabled' | 'auto_disabled' | undefined }

/** Every endpoint of the merchant. Throws `Refused` with words when the service does not answer. */
export async function listEndpoints(_caller: Caller, _filter: EndpointFilter = {}): Promise<EndpointView[]> {
  return []
}
