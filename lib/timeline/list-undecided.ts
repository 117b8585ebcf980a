import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type EventView, eventColumns, type ListedEventRow, toEventView } from './event-view.ts'

/**
 * The events of a person or company itself of which a doubt may change where one of its types stands, in order. Throws
 * `NotAllowed`.
 */
export async function listUndecided(caller: Caller, userUuid: string): Promise<EventView[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<ListedEventRow>(UNDECIDED, [
    subjectId({ kind: 'entity', id: userUuid }),
  ])
  return rows.map((row) => toEventView(caller.role, row, new Map()))
}

const UNDECIDED = `
  SELECT ${eventColumns} FROM event WHERE subject_id = $1 AND 'decisive' = ANY(flags) ORDER BY position`
