import type { EndpointChangeResult } from '#lib/endpoints/change-endpoint.ts'
import type { PublicAddressCheck } from '#lib/endpoints/check-public-address.ts'
import type { CreatedEndpointSecret } from '#lib/endpoints/create-endpoint.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The server actions that change an endpoint, as its page hands them down. */
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

/** Actions that put right what keeps an endpoint from delivering, on its page and wherever a list says so. */
export type MendActions = Pick<EndpointActions, 'setStatus' | 'rotate' | 'repair' | 'finish' | 'check'>
