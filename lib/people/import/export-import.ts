import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type FileColumn, fileText } from '#lib/platform/rules/csv.ts'
import { findImport } from './list-imports.ts'
import { ImportSchema } from './start-import.ts'

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
