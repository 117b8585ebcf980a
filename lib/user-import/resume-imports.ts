import 'server-only'
import type pg from 'pg'
import { listRunning } from './import-store.ts'
import { launchImport } from './start-import.ts'

/** Goes on with imports whose runner has died; one that is run by somebody is left alone. */
export async function resumeImports(pool: pg.Pool): Promise<void> {
  for (const id of await listRunning(pool)) launchImport(id)
}
