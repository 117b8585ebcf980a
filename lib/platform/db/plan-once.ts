import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'

/** A statement that each connection to PostgreSQL keeps; `values` are added where it is run. */
export interface PlannedStatement {
  readonly name: string
  readonly text: string
}

/**
 * For statements whose best plan does not depend on their values: PostgreSQL reads and plans them once per connection, which
 * otherwise takes longer than most of these take to run. They name the columns that they answer with, since a kept statement
 * fails once its columns are others, as `*` is after a migration. Behind a pooler they are planned each time, see `notePooler`.
 */
export function planOnce(text: string): PlannedStatement {
  return { name: crypto.hash('sha256', text).slice(0, 32), text }
}

/** Connections that end at PostgreSQL itself. */
const direct = new WeakSet<pg.ClientBase>()

/**
 * Notes whether somebody stands between this connection and the database, who may send each statement to another server process:
 * a pooler gives its own number as that of the process. For each new connection of a pool, before it is used.
 */
export async function notePooler(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  if ('processID' in client && client.processID === rows[0]?.pid) direct.add(client)
}

/** Answers whether nobody stands between a connection of a pool and the database. */
export const isDirect = (client: pg.ClientBase): boolean => direct.has(client)

/** What is given to `client.query`, without the name of a statement that the connection cannot keep. */
export function withoutLostName(client: pg.ClientBase, words: readonly unknown[]): readonly unknown[] {
  const [first] = words
  if (direct.has(client) || typeof first !== 'object' || first === null || !('name' in first)) return words
  return words.with(0, { ...first, name: undefined })
}
