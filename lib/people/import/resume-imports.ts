import 'server-only'
import type pg from 'pg'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { listRunning, stopImports } from './import-store.ts'
import { launchImport } from './start-import.ts'

/** Goes on with imports whose runner has just died; one that is run by somebody is left alone. */
export async function resumeImports(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, (tx) => stopImports(tx, 'long forgotten'))
  for (const id of await listRunning(pool)) launchImport(id)
}
