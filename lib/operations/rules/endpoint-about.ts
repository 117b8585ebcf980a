const prefix = 'endpoint:'

/** What a look or a mute names an endpoint by that has no open gap, beside gaps, which are named by their id alone. */
export const endpointAbout = (endpointUuid: string): string => prefix + endpointUuid

/** The uuid of the endpoint that is named so; null for anything else. */
export const endpointOfAbout = (about: string): string | null =>
  about.startsWith(prefix) ? about.slice(prefix.length) : null
