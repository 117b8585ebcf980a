import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { countReading } from '#lib/audit/count-reading.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isUuid } from '#lib/platform/rules/uuid.ts'
import type { EventDetailsView } from './event-view.ts'
import { readDetails } from './read-details.ts'

/** One event with its deliveries, as the caller's role may see it; null when there is none. Throws `NotAllowed`. */
export async function getEvent(caller: Caller, id: string): Promise<EventDetailsView | null> {
  requirePermission(caller, 'see-everything')
  if (!isUuid(id)) return null
  const { rows } = await pool().query<{ subject_id: string; entity_uuid: string | null }>(
    'SELECT subject_id, entity_uuid FROM event WHERE id = $1',
    [id],
  )
  const [found] = rows
  if (!found) return null
  await countReading(caller, 'read.event', id, found.entity_uuid)
  return (await readDetails(caller.role, found.subject_id, { eventId: id }))[0] ?? null
}
