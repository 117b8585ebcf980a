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
  return (await poolOf(database).query(sql, [...values])).rows
}

/** Every statement on this table of the dashboard waits until `work` is done. */
export async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  const client = await poolOf('rampart').connect()
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    await work()
  } finally {
    // The connection's end releases its locks.
    client.release(true)
  }
}

const pools = new Map<string, pg.Pool>()

/** A worker keeps its connections, because each new one costs both sides the check of the password. */
function poolOf(database: string): pg.Pool {
  const known = pools.get(database)
  if (known) return known
  const dataDir = process.env[dataDirVariable] ?? ''
  const password = readSecrets(dataDir)?.postgresPassword ?? ''
  const address = findPostgres(path.join(dataDir, 'postgres'), password)
  if (!address) throw new Error(`No database runs in ${dataDir}`)
  const made = new pg.Pool({
    connectionString: address(database),
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  pools.set(database, made)
  return made
}
