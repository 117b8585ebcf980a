import type { Action } from '#lib/domain/action-state.ts'
import type { ChangedEndpoint } from '#lib/endpoints/change-endpoint.ts'
import type { OwnAddress } from '#lib/endpoints/check-own-address.ts'
import type { CreatedEndpoint } from '#lib/endpoints/create-elsewhere.ts'

/** The server actions that change an endpoint, as its page hands them down. */
export interface EndpointActions {
  readonly change: Action<ChangedEndpoint>
  readonly setStatus: Action<{ readonly endpointUuid: string; readonly status: string }>
  readonly rotate: Action<{ readonly endpointUuid: string; readonly signingSecret: string | null }>
  readonly takeOver: Action<{ readonly endpointUuid: string }>
  readonly remove: Action<{ readonly endpointUuid: string }>
  readonly replace: Action<CreatedEndpoint>
  readonly finish: Action<{ readonly endpointUuid: string }>
  readonly check: Action<OwnAddress>
  readonly confirm: Action<{ readonly endpointUuid: string }>
}
