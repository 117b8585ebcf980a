/** What a form shows of an endpoint that it changes, for a hidden field: whether somebody else has changed it meanwhile. */
export const seenOfEndpoint = (endpoint: {
  readonly url: string
  readonly subscribedEvents: readonly string[] | null
}): string => JSON.stringify([endpoint.url, endpoint.subscribedEvents?.toSorted() ?? null])
