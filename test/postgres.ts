import crypto from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

const objectInUse = '55006'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** The database has all of the dashboard's migrations. */
export const createTestDatabase = () => createCopy('rampart_template')

export const createCopy = (template: string) => create(`TEMPLATE ${template} STRATEGY FILE_COPY`)

export const createEmptyDatabase = () => create('')

async function create(template: string): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${crypto.randomBytes(6).toString('hex')}`
  await run(server, `CREATE DATABASE ${name} ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => drop(server, name) }
}

/**
 * This many statements of the database wait for a lock. The question needs a connection outside of a transaction, in which
 * PostgreSQL would repeat its first answer.
 */
export async function countWaiting(database: pg.Pool): Promise<number> {
  const { rowCount } = await database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rowCount ?? 0
}

/** A pool reports its end before its connections are closed, and terminating one of these breaks a test. */
async function drop(server: string, name: string) {
  try {
    // PostgreSQL waits up to 5 s for connections to close.
    await run(server, `DROP DATABASE ${name}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === objectInUse)) throw error
    await run(server, `DROP DATABASE ${name} WITH (FORCE)`)
  }
}

async function run(server: string, sql: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
