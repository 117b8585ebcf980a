import type { EndpointChangeResult } from '#lib/endpoints/change-endpoint.ts'
import type { CreatedEndpointSecret } from '#lib/endpoints/create-endpoint.ts'
import type { PublicAddressCheck } from '#lib/endpoints/public-address-check.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The page passes these server actions down; each changes an endpoint. */
export interface EndpointActions {
  readonly change: Action<EndpointChangeResult>
  readonly setStatus: Action<{ readonly endpointUuid: string; readonly status: string }>
  readonly rotate: Action<{ readonly endpointUuid: string; readonly signingSecret: string | null }>
  readonly repair: Action<{ readonly endpointUuid: string }>
  readonly remove: Action<{ readonly endpointUuid: string }>
  readonly replace: Action<CreatedEndpointSecret>
  readonly finish: Action<{ readonly endpointUuid: string; readonly replaced: string }>
  readonly check: Action<PublicAddressCheck>
  readonly confirm: Action<{ readonly endpointUuid: string }>
}

/** These actions repair an endpoint that does not deliver, on its page and in lists that say so. */
export type MendActions = Pick<EndpointActions, 'setStatus' | 'rotate' | 'repair' | 'finish' | 'check'>
