import 'server-only'

/**
 * The SQL writes a text in lower case, for codes, addresses and names that are compared in any case. ASCII letters are
 * changed first, independently of the language: in a Turkish database `I` would become `ı`, and `OPTIMISM` would never equal
 * `optimism`.
 */
export const lowerCase = (text: string) => `lower(lower((${text}) COLLATE "C") COLLATE "default")`

/** The SQL writes a text in upper case in the same way. */
export const upperCase = (text: string) => `upper(upper((${text}) COLLATE "C") COLLATE "default")`

/** PostgreSQL accepts no NUL in a text, so NUL is replaced in the same way as in stored text. */
export const textParameter = (text: string): string => text.replaceAll('\0', '\ufffd')
