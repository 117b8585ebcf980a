import path from 'node:path'
import pg from 'pg'
import { readSecrets } from '../bin/data-directory.ts'
import { findPostgres } from '../bin/postgres.ts'

/** Where the start of Rampart says in which directory it keeps its data. */
export const dataDirVariable = 'RAMPART_E2E_DATA_DIR'

/** Brings about in the dashboard's own database, or the sandbox's, what otherwise takes time or a fault; answers the rows. */
export async function inDatabase(
  sql: string,
  values: readonly unknown[] = [],
  database: 'rampart' | 'sandbox' = 'rampart',
): Promise<unknown[]> {
  const client = await connect(database)
  try {
    return (await client.query(sql, [...values])).rows
  } finally {
    await client.end()
  }
}

/** Has everything that asks for this table of the dashboard wait until `work` is over. */
export async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  const client = await connect('rampart')
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    await work()
  } finally {
    // Whatever it holds goes with the connection.
    await client.end()
  }
}

async function connect(database: 'rampart' | 'sandbox'): Promise<pg.Client> {
  const dataDir = process.env[dataDirVariable] ?? ''
  const password = readSecrets(dataDir)?.postgresPassword ?? ''
  const address = findPostgres(path.join(dataDir, 'postgres'), password)
  if (!address) throw new Error(`No database runs in ${dataDir}`)
  const client = new pg.Client({ connectionString: address(database) })
  await client.connect()
  return client
}
