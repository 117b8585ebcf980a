import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { bringsHere } from './missing-types.ts'

/** What becomes of this dashboard's deliveries once an endpoint is gone or off. */
export interface HereWithout {
  readonly sentence: string
  /** Whether nothing may arrive any more. */
  readonly grave: boolean
}

/** @param endpoints all of the merchant; null while the service does not list them */
export function hereWithout(endpoint: EndpointView, endpoints: readonly EndpointView[] | null): HereWithout {
  if (!endpoint.ours) {
    return { grave: false, sentence: 'It does not deliver to this dashboard, which loses nothing.' }
  }
  if (endpoints === null) {
    return {
      grave: true,
      sentence:
        'Whether another endpoint delivers to this dashboard could not be read: if none does, it goes deaf, and no news arrives any more.',
    }
  }
  const others = endpoints.some((other) => other.uuid !== endpoint.uuid && bringsHere(other))
  return others
    ? { grave: false, sentence: 'Other endpoints go on delivering to this dashboard.' }
    : {
        grave: true,
        sentence:
          'This dashboard goes deaf: no other endpoint delivers to it, so that no news of any transaction, account or person arrives any more.',
      }
}
