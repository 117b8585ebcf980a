import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { bringsHere, missingTypes } from './missing-types.ts'

/** What becomes of this dashboard's deliveries once an endpoint is gone or off. */
export interface HereWithout {
  readonly sentence: string
  /** Whether nothing may arrive any more, or nothing of some types. */
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
  const others = endpoints.filter(({ uuid }) => uuid !== endpoint.uuid)
  if (!others.some(bringsHere)) {
    return {
      grave: true,
      sentence:
        'This dashboard goes deaf: no other endpoint delivers to it, so that no news of any transaction, account or person arrives any more.',
    }
  }
  const lost = missingTypes(others).filter((type) => endpoint.subscribedEvents?.includes(type) ?? true)
  if (lost.length > 0) {
    const names = lost.map((type) => eventTypeLabels[type].label).join(', ')
    return {
      grave: true,
      sentence: `No other endpoint brings these kinds of events to this dashboard, so that none of them arrives any more: ${names}.`,
    }
  }
  return { grave: false, sentence: 'Other endpoints go on delivering to this dashboard.' }
}
