import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { countUpTo, type Total } from '#lib/platform/paging/paging.ts'
import type { FoundSubject } from '#lib/search/found.ts'
import { readSubjects } from '#lib/search/read-subjects.ts'
import { getSubject, type SubjectDetailsView } from '#lib/timeline/subject-details.ts'

/** An account comes with its timeline and with the transactions that named it. */
export interface AccountDetailsView extends SubjectDetailsView {
  /** The newest transactions come first, at most 20. */
  readonly transactions: readonly FoundSubject[]
  readonly total: Total
}

/** One bank account or profile comes as the caller's role may see it; null when there is none. Throws `NotAllowed`. */
export async function getAccount(caller: Caller, uuid: string): Promise<AccountDetailsView | null> {
  requirePermission(caller, 'see-everything')
  const id = uuid.trim().toLowerCase()
  const details = await getSubject(caller, subjectId({ kind: 'bank-account', id }))
  if (!details) return null
  const [{ rows }, total] = await Promise.all([
    pool().query<{ subject_id: string }>(TRANSACTIONS, [id, mostShown]),
    countUpTo((most) => ({ sql: TRANSACTIONS, values: [id, most] })),
  ])
  const ids = rows.map((row) => row.subject_id)
  const found = await readSubjects(caller.role, ids)
  return { ...details, transactions: ids.flatMap((one) => found.get(one) ?? []), total }
}

const mostShown = 20

const TRANSACTIONS = `
  SELECT subject_id FROM identifier WHERE value = $1 AND starts_with(subject_id, 'transaction:')
  ORDER BY started_at DESC LIMIT $2`
