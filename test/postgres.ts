import crypto from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

const objectInUse = '55006'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** A database of its own with all of the dashboard's migrations. */
export const createTestDatabase = () => create('TEMPLATE rampart_template STRATEGY FILE_COPY')

/** A database of its own with nothing in it. */
export const createEmptyDatabase = () => create('')

async function create(template: string): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${crypto.randomBytes(6).toString('hex')}`
  await run(server, `CREATE DATABASE ${name} ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => drop(server, name) }
}

/** A pool says that it has ended before its connections are closed, and whoever terminates one of these breaks a test. */
async function drop(server: string, name: string) {
  try {
    // It waits up to 5 s for connections to close.
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
