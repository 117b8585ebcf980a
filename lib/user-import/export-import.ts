import 'server-only'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { pool } from '#lib/db/pool.ts'
import { csvLine } from '#lib/domain/text/csv.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { findImport } from './list-imports.ts'

/**
 * What became of each line, as CSV: ids and line numbers, without what the lines said of people. That it was exported is in
 * the audit. Null for an unknown import. Throws `NotAllowed`.
 */
export async function exportImport(
  caller: Caller,
  id: string,
  source: CallSource,
): Promise<AsyncGenerator<string> | null> {
  if (!(await findImport(caller, id))) return null
  await recordAuditAlone({ actor: caller, action: 'user.import-export', target: id, outcome: 'done' }, source)
  return resultLines(id)
}

async function* resultLines(id: string): AsyncGenerator<string> {
  yield csvLine(['line', 'result', 'user_uuid', 'error'])
  let after = 0
  for (;;) {
    const { rows } = await pool().query<ResultRow>(RESULTS, [id, after])
    if (rows.length === 0) return
    yield rows.map(({ line, state, user_uuid, error }) => csvLine([line, state, user_uuid, error])).join('')
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
