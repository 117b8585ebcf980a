import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'

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

/** PostgreSQL takes no NUL in a text, and no half of a character in JSON: asks for them as the domain would have kept them. */
export const textParameter = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

/** The JSON has each text as `textParameter` gives it. The names of members are not changed. */
export const jsonParameter = (value: unknown): string =>
  JSON.stringify(value, (_name, one) => (typeof one === 'string' ? textParameter(one) : one))

/** The SQL of what `query` of node-postgres is given; empty where it has none. */
export function statementText(statement: unknown): string {
  const text =
    typeof statement === 'object' && statement !== null && 'text' in statement ? statement.text : statement
  return typeof text === 'string' ? text : ''
}

/** Each connection to PostgreSQL keeps a planned statement. The caller adds `values`. */
interface PlannedStatement {
  readonly name: string
  readonly text: string
}

/**
 * `planOnce` is for statements whose best plan does not depend on their values: PostgreSQL plans them once per connection.
 * They must name their columns, since a kept statement fails after a migration changes `*`. A pooler keeps none, see
 * `notePooler`.
 */
export function planOnce(text: string): PlannedStatement {
  return { name: crypto.hash('sha256', text).slice(0, 32), text }
}

/** Direct connections end at PostgreSQL itself. */
const direct = new WeakSet<pg.ClientBase>()

/**
 * `notePooler` detects a pooler, which may send each statement to another server process: a pooler reports its own number as
 * that of the process. It runs on each new connection of a pool before its use.
 */
export async function notePooler(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  if ('processID' in client && client.processID === rows[0]?.pid) direct.add(client)
}

/** `isDirect` is true for a connection without a pooler in between. */
export const isDirect = (client: pg.ClientBase): boolean => direct.has(client)

/** The arguments are those of `client.query`, without the name of a statement that the connection cannot keep. */
export function withoutLostName(client: pg.ClientBase, words: readonly unknown[]): readonly unknown[] {
  const [first] = words
  if (direct.has(client) || typeof first !== 'object' || first === null || !('name' in first)) return words
  return words.with(0, { ...first, name: undefined })
}
