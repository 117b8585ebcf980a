import path from 'node:path'
import pg from 'pg'
import { readSecrets } from '../bin/data-directory.ts'
import { findPostgres } from '../bin/postgres.ts'

/** The start of Rampart puts its data directory into this variable. */
export const dataDirVariable = 'RAMPART_E2E_DATA_DIR'

/**
 * The statement brings about in the dashboard's or the sandbox's database what otherwise takes time or a fault. The answer
 * holds its rows.
 */
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

/** Every statement on this table of the dashboard waits until `work` is done. */
export async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  const client = await connect('rampart')
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    await work()
  } finally {
    // The connection's end releases its locks.
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
