/** The three statuses of §3.1 are in the order of lists. The service may add others. */
export const endpointStatuses = ['active', 'disabled', 'auto_disabled'] as const

export type KnownEndpointStatus = (typeof endpointStatuses)[number]

/** The parser reads a status from an address or from the service; null for an unknown one. */
export const parseEndpointStatus = (text: unknown): KnownEndpointStatus | null =>
  endpointStatuses.find((status) => status === text) ?? null
