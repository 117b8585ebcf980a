import 'server-only'

/**
 * SQL for a text in lower case, for codes, addresses and names that are compared in any case. Letters of ASCII come first and alone: by
 * the language of a Turkish database `I` would become `ı`, and `OPTIMISM` would never be `optimism`.
 */
export const lowerCase = (text: string) => `lower(lower((${text}) COLLATE "C") COLLATE "default")`

/** The same in upper case. */
export const upperCase = (text: string) => `upper(upper((${text}) COLLATE "C") COLLATE "default")`

/** PostgreSQL takes no NUL in a text: asks for it as the domain would have kept it. */
export const textParameter = (text: string): string => text.replaceAll('\0', '\ufffd')
