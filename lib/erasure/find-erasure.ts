import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { userDigest } from '#lib/projector/erased-people.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'

/** That somebody was erased, for whoever has the uuid. Times are ISO 8601. */
export interface ErasureView {
  readonly id: string
  readonly beganAt: string
  /** Null while it goes on. */
  readonly finishedAt: string | null
  readonly subjects: number
  readonly deliveries: number
}

/** The mark of a person who was erased; null for anybody else. Throws `NotAllowed`. */
export async function findErasure(caller: Caller, userUuid: string): Promise<ErasureView | null> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<ErasureRow>(ERASURE, [userDigest(userUuid)])
  const [row] = rows
  if (!row) return null
  const { id, began_at, finished_at, subjects, deliveries } = row
  const finishedAt = finished_at?.toISOString() ?? null
  return { id, beganAt: began_at.toISOString(), finishedAt, subjects, deliveries }
}

interface ErasureRow {
  readonly id: string
  readonly began_at: Date
  readonly finished_at: Date | null
  readonly subjects: number
  readonly deliveries: number
}

const ERASURE = 'SELECT id, began_at, finished_at, subjects, deliveries FROM erasure WHERE user_digest = $1'
