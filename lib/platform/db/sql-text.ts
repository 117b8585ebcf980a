import 'server-only'

/**
 * The SQL writes a text in lower case, for codes, addresses and names that are compared in any case. ASCII letters are
 * changed first, independently of the language: in a Turkish database `I` would become `ı`, and `OPTIMISM` would never equal
 * `optimism`.
 */
export const lowerCase = (text: string) => `lower(lower((${text}) COLLATE "C") COLLATE "default")`

/** The SQL writes a text in upper case in the same way. */
export const upperCase = (text: string) => `upper(upper((${text}) COLLATE "C") COLLATE "default")`

/**
 * SQL for the body of an event, of which `kept` has `id` and `envelope`: the log has it, or else the event itself. `kept` is a
 * materialized CTE, since the log is on one server and events may be on several. Decision 0143.
 */
export const bodyOf = (kept: string) =>
  `COALESCE(${kept}.envelope, (SELECT body FROM delivery WHERE delivery.id = ${kept}.id))`

/** PostgreSQL takes no NUL in a text: asks for it as the domain would have kept it. */
export const textParameter = (text: string): string => text.replaceAll('\0', '\ufffd')

/** The SQL of what `query` of node-postgres is given; empty where it has none. */
export function statementText(statement: unknown): string {
  const text =
    typeof statement === 'object' && statement !== null && 'text' in statement ? statement.text : statement
  return typeof text === 'string' ? text : ''
}
