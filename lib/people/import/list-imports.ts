import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'

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

/** Imports come newest first, at most 50. Throws `NotAllowed`. */
export async function listImports(caller: Caller): Promise<ImportView[]> {
  requirePermission(caller, 'manage-people')
  const { rows } = await pool().query<ImportRow>(`${IMPORTS} ORDER BY id DESC LIMIT 50`)
  return rows.map(toView)
}

/**
 * One import comes with the first lines that were not taken, at most 200; null for an unknown import. Throws
 * `NotAllowed`.
 */
export async function findImport(
  caller: Caller,
  id: string,
): Promise<(ImportView & { readonly problems: readonly FailedLine[] }) | null> {
  requirePermission(caller, 'manage-people')
  if (!isUuid(id)) return null
  const [imports, problems] = await Promise.all([
    pool().query<ImportRow>(`${IMPORTS} WHERE id = $1`, [id]),
    pool().query<FailedLine>(PROBLEMS, [id]),
  ])
  const [row] = imports.rows
  return row ? { ...toView(row), problems: problems.rows } : null
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
  WHERE import_id = $1 AND state IN ('broken', 'failed', 'unsure') ORDER BY line LIMIT 200`
