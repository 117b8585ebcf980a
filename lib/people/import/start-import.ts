import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { requireStandingSession } from '#lib/identity/sessions/person-sessions.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { listRunning, stopImports } from './import-store.ts'
import { runImport } from './run-import.ts'

const log = logOf('import')

export const ImportSchema = z.object({ importId: uuidField('This is not an import.') })

export const StartImportSchema = ImportSchema.extend({ reason: ReasonSchema })

/**
 * An import that was checked begins, or one that was stopped goes on: the service is asked to create people. Throws
 * `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function startImport(
  caller: Caller,
  { importId, reason }: z.output<typeof StartImportSchema>,
  source: CallSource,
): Promise<{ readonly importId: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    await requireStandingSession(tx, caller.sessionId)
    const { rows } = await tx.query<{ people: number }>(START, [importId, caller.sessionId])
    const [begun] = rows
    if (!begun) throw new Refused('import-not-startable')
    const entry = {
      actor: caller,
      action: 'user.import',
      target: importId,
      outcome: 'begun',
      reason,
    } as const
    await recordAudit(tx, entry, source)
    const facts = { people: String(begun.people) }
    await tellAdmins(tx, { kind: 'import-started', actor: caller, about: importId, reason, facts })
  })
  launchImport(importId)
  return { importId }
}

/** An import stops after the present line and can go on later. Throws `NotAllowed` and `Refused`. */
export async function stopImport(
  caller: Caller,
  { importId }: z.output<typeof ImportSchema>,
  source: CallSource,
): Promise<{ readonly importId: string }> {
  requirePermission(caller, 'manage-people')
  await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(STOP, [importId])
    if (rowCount === 0) throw new Refused('import-not-running')
    const entry = { actor: caller, action: 'user.import-stop', target: importId, outcome: 'done' } as const
    await recordAudit(tx, entry, source)
  })
  return { importId }
}

/** The import runs in this process, beside everything else. The watcher resumes one whose runner died. */
function launchImport(importId: string): void {
  void runImport(pool(), serviceClient(), importId).catch((error: unknown) =>
    log.error({ import: importId, err: error }, 'An import was interrupted; it goes on within a minute'),
  )
}

const START = `
  UPDATE user_import SET state = 'running', session_id = $2, why = NULL, last_progress_at = now()
  WHERE id = $1 AND state IN ('checked', 'stopped', 'failing') RETURNING total - broken - done - failed AS people`

const STOP = `UPDATE user_import SET state = 'stopped' WHERE id = $1 AND state = 'running'`

/** Imports whose runner has just died go on. One that another process runs is left alone. */
export async function resumeImports(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, (tx) => stopImports(tx, 'long forgotten'))
  for (const id of await listRunning(pool)) launchImport(id)
}
