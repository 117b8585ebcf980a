/** The three states of §3.1, in the order in which lists name them. The service may add others. */
export const endpointStatuses = ['active', 'disabled', 'auto_disabled'] as const

export type KnownEndpointStatus = (typeof endpointStatuses)[number]

/** Reads a state from an address or from the service; null for one that is not known here. */
export const parseEndpointStatus = (text: unknown): KnownEndpointStatus | null =>
  endpointStatuses.find((status) => status === text) ?? null
