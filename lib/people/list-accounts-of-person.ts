import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { FoundSubject } from '#lib/search/found.ts'
import { readSubjects } from '#lib/search/read-subjects.ts'

/** The bank accounts that events of a person are about, newest first, at most 50. The caller has checked access. */
export async function listAccountsOfPerson(role: Role, userUuid: string): Promise<FoundSubject[]> {
  const { rows } = await pool().query<{ subject_id: string }>(ACCOUNTS, [userUuid])
  const ids = rows.map((row) => row.subject_id)
  const subjects = await readSubjects(role, ids)
  return ids.flatMap((id) => subjects.get(id) ?? [])
}

/** Not `starts_with`: for that the planner reads through all accounts of all people. */
const ACCOUNTS = `
  SELECT subject_id FROM identifier WHERE value = $1 AND split_part(subject_id, ':', 1) = 'bank-account'
  ORDER BY started_at DESC LIMIT 50`
