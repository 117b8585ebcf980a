import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { requireStandingSession } from '#lib/identity/sessions/person-sessions.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type FileColumn, fileText } from '#lib/platform/rules/csv.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { listRunning, stopImports } from './import-store.ts'
import { interrupted, runImport } from './run-import.ts'

/** `checked`: nothing was taken yet. `failing`: the import gave up, and `why` says why. */
export type ImportState = 'checked' | 'running' | 'stopped' | 'failing' | 'done'

/** `ImportView` is an import for a page. Times are ISO 8601. */
export interface ImportView {
  readonly id: string
  readonly fileName: string
  readonly state: ImportState
  /** `total` counts the lines; broken lines are never taken. */
  readonly total: number
  readonly broken: number
  /** This many of them are new people. */
  readonly created: number
  readonly done: number
  readonly failed: number
  readonly why: string | null
  readonly checkedAt: string
}

/** This line was not taken. `unsure`: the service may have created the person. */
export interface FailedLine {
  readonly line: number
  readonly state: 'broken' | 'failed' | 'unsure'
  readonly error: string
}

/** The customer numbers of a file that was checked. */
export interface NumbersOfImport {
  /** This many people have another number now. */
  readonly replaced: number
  /** Several lines give these, at most six; a merchant may mean it. */
  readonly repeated: readonly string[]
}

/** Imports come newest first, at most 50. Throws `NotAllowed`. */
export async function listImports(caller: Caller): Promise<ImportView[]> {
  requirePermission(caller, 'manage-people')
  const { rows } = await pool().query<ImportRow>(`${IMPORTS} ORDER BY id DESC LIMIT 50`)
  return rows.map(toView)
}

export interface ImportDetails extends ImportView {
  /** The first lines that were not taken, at most 200. */
  readonly problems: readonly FailedLine[]
  /** Null after the start. */
  readonly numbers: NumbersOfImport | null
}

/** The result is null for an unknown import. Throws `NotAllowed`. */
export async function findImport(caller: Caller, id: string): Promise<ImportDetails | null> {
  requirePermission(caller, 'manage-people')
  if (!isUuid(id)) return null
  const [imports, problems] = await Promise.all([
    pool().query<ImportRow>(`${IMPORTS} WHERE id = $1`, [id]),
    pool().query<ProblemRow>(PROBLEMS, [id]),
  ])
  const [row] = imports.rows
  if (!row) return null
  const numbers = row.state === 'checked' ? await pool().query<NumbersOfImport>(NUMBERS, [id]) : null
  return {
    ...toView(row),
    problems: problems.rows.map(({ line, state, error }) =>
      state === 'sending'
        ? { line, state: 'unsure', error: interrupted }
        : { line, state, error: error ?? '' },
    ),
    numbers: numbers?.rows[0] ?? null,
  }
}

interface ProblemRow {
  readonly line: number
  readonly state: FailedLine['state'] | 'sending'
  readonly error: string | null
}

interface ImportRow {
  readonly id: string
  readonly file_name: string
  readonly state: ImportState
  readonly total: number
  readonly broken: number
  readonly created: number
  readonly done: number
  readonly failed: number
  readonly why: string | null
  readonly checked_at: Date
}

const toView = ({ file_name, checked_at, ...row }: ImportRow): ImportView => ({
  ...row,
  fileName: file_name,
  checkedAt: checked_at.toISOString(),
})

const IMPORTS = `
  SELECT id, file_name, state, total, broken, created, done, failed, why, checked_at FROM user_import`

const PROBLEMS = `
  SELECT line, state, error FROM user_import_row
  WHERE import_id = $1 AND (state IN ('broken', 'failed', 'unsure')
    OR state = 'sending' AND EXISTS (SELECT FROM user_import WHERE id = $1 AND state <> 'running' AND NOT EXISTS (
      SELECT FROM lease WHERE name = 'import:' || user_import.id AND expires_at > clock_timestamp())))
  ORDER BY line LIMIT 200`

const NUMBERS = `
  WITH given AS MATERIALIZED (
    SELECT user_uuid, customer_number FROM user_import_row
    WHERE import_id = $1 AND state = 'waiting' AND customer_number IS NOT NULL
  )
  SELECT
    (SELECT count(*)::int FROM given JOIN person USING (user_uuid)
     WHERE person.customer_number <> given.customer_number) AS replaced,
    ARRAY(SELECT customer_number FROM given GROUP BY customer_number HAVING count(*) > 1
      ORDER BY count(*) DESC, customer_number LIMIT 6) AS repeated`

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

export const ExportImportSchema = ImportSchema.extend({ reason: ReasonSchema })

/**
 * The session may fetch the result of each line, with ids of the imported people, for one minute. Throws
 * `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function allowImportExport(
  caller: Caller,
  { importId, reason }: z.output<typeof ExportImportSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  if (!(await findImport(caller, importId))) throw new Refused('import-unknown')
  const entry = { action: 'user.import-export', target: importId } as const
  const what = 'the result of an import'
  return { ticket: await giveTicket(caller, { file: fileOf(importId), what, entry, reason }, source) }
}

const fileOf = (importId: string) => `import ${importId}`

/**
 * The CSV has the result of each line: ids and line numbers, without what the lines said of people. The session
 * must have been allowed to fetch it; null for an unknown import. Throws `NotAllowed`.
 */
export async function exportImport(
  caller: Caller,
  id: string,
  ticket: string,
): Promise<AsyncGenerator<string> | null> {
  requirePermission(caller, 'manage-people')
  requireTicket(caller, fileOf(id), ticket)
  return (await findImport(caller, id)) && fileText('csv', everyResult(id), columns)
}

const columns: readonly FileColumn<ResultRow>[] = [
  ['line', ({ line }) => line],
  ['result', ({ state }) => state],
  ['user_uuid', ({ user_uuid }) => user_uuid],
  ['error', ({ error }) => error],
]

async function* everyResult(id: string): AsyncGenerator<readonly ResultRow[]> {
  let after = 0
  for (;;) {
    const { rows } = await pool().query<ResultRow>(RESULTS, [id, after])
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.line ?? after
  }
}

interface ResultRow {
  readonly line: number
  readonly state: string
  readonly user_uuid: string | null
  readonly error: string | null
}

const RESULTS = `
  SELECT line, state, user_uuid, error FROM user_import_row WHERE import_id = $1 AND line > $2 ORDER BY line LIMIT 1000`
