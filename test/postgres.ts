import crypto from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** A database of its own with all of the dashboard's migrations. */
export const createTestDatabase = () => create('TEMPLATE rampart_template')

/** A database of its own with nothing in it. */
export const createEmptyDatabase = () => create('')

async function create(template: string): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${crypto.randomBytes(6).toString('hex')}`
  await run(server, `CREATE DATABASE ${name} ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(server, `DROP DATABASE ${name} WITH (FORCE)`) }
}

async function run(server: string, sql: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(sql)
  await client.end()
}
