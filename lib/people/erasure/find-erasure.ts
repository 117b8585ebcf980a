import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type ErasureMark, pseudonymOf, userDigest } from '#lib/timeline/projector/erased-people.ts'

/** Somebody with this uuid was erased. Times are ISO 8601. */
export interface ErasureView {
  readonly id: string
  readonly isCompany: boolean
  readonly beganAt: string
  /** The end is null while the erasure goes on. */
  readonly finishedAt: string | null
  readonly subjects: number
  readonly deliveries: number
}

/** The mark belongs to a person who was erased; null for anybody else. Throws `NotAllowed`. */
export async function findErasure(caller: Caller, userUuid: string): Promise<ErasureView | null> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<ErasureRow>(ERASURE, [userDigest(userUuid)])
  const [row] = rows
  if (!row) return null
  const { id, began_at, finished_at, subjects, deliveries } = row
  const isCompany = await isOfCompany(userUuid, row)
  const finishedAt = finished_at?.toISOString() ?? null
  return { id, isCompany, beganAt: began_at.toISOString(), finishedAt, subjects, deliveries }
}

/**
 * The remaining data decides: people who belong to the uuid, and events about a company. An erased company has a
 * pseudonym.
 */
async function isOfCompany(userUuid: string, mark: ErasureMark): Promise<boolean> {
  const subjects = [userUuid, pseudonymOf(mark, userUuid)].map((id) => subjectId({ kind: 'entity', id }))
  const { rows } = await pool().query<{ company: boolean }>(COMPANY, [userUuid, subjects, companyTypes])
  return rows[0]?.company ?? false
}

interface ErasureRow extends ErasureMark {
  readonly id: string
  readonly began_at: Date
  readonly finished_at: Date | null
  readonly subjects: number
  readonly deliveries: number
}

const ERASURE =
  'SELECT id, salt, began_at, finished_at, subjects, deliveries FROM erasure WHERE user_digest = $1'

const COMPANY = `
  SELECT EXISTS (SELECT FROM person WHERE linked_corporates @> ARRAY[$1::uuid])
    OR EXISTS (SELECT FROM standing WHERE subject_id = ANY($2) AND type = ANY($3)) AS company`
