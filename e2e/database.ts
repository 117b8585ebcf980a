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
  const dataDir = process.env[dataDirVariable] ?? ''
  const password = readSecrets(dataDir)?.postgresPassword ?? ''
  const address = findPostgres(path.join(dataDir, 'postgres'), password)
  if (!address) throw new Error(`No database runs in ${dataDir}`)
  const client = new pg.Client({ connectionString: address(database) })
  await client.connect()
  try {
    return (await client.query(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
