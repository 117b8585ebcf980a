import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { showValue } from '#lib/access/rules/visibility.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isLookKind } from '../rules/look-kinds.ts'
import { mayKnowLook } from '../rules/may-know-look.ts'
import type { MuteView } from './look-view.ts'

/** What is muted, the latest first, 200 at most. Throws `NotAllowed`. */
export async function listMutes(caller: Caller): Promise<MuteView[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<MuteRow>(LIST)
  return rows.flatMap(({ kind, at, note, subjectId, ...rest }) =>
    isLookKind(kind) && mayKnowLook(caller.role, kind)
      ? [{ ...rest, kind, at: at.toISOString(), note: showValue(caller.role, 'free-text', note), subjectId }]
      : [],
  )
}

interface MuteRow {
  readonly kind: string
  readonly about: string
  readonly note: string
  readonly by: string
  readonly at: Date
  readonly subjectId: string | null
}

/** A transaction is named by its subject, a gap by its own id, an event by its own too. */
const LIST = `
  SELECT kind, about, note, muted_at AS at,
    COALESCE((SELECT name FROM member WHERE muted_by IN (member.user_uuid::text, member.id::text) LIMIT 1), muted_by) AS by,
    CASE WHEN about LIKE 'transaction:%' THEN about
         WHEN about ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
           THEN (SELECT subject_id FROM event WHERE event.id = about::uuid LIMIT 1) END AS "subjectId"
  FROM overview_mute ORDER BY muted_at DESC LIMIT 200`
