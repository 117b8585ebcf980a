import type { EndpointView } from '#lib/endpoints/endpoints.ts'

/** The endpoint delivers here and is healthy, except for the given fields. */
export const endpointView = (uuid: string, given: Partial<EndpointView> = {}): EndpointView => ({
  uuid,
  url: 'https://merchant.example',
  description: null,
  status: 'active',
  statusSince: null,
  subscribedEvents: null,
  ours: true,
  receiver: null,
  repair: null,
  shownAt: null,
  replaces: null,
  replacedBy: null,
  ...given,
})
