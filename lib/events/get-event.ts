import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { isUuid } from '#lib/domain/text/uuid.ts'
import type { Caller } from '#lib/request/caller.ts'
import { visibleTo } from '#lib/request/visible-to.ts'
import type { EventDetailsView } from './event-view.ts'
import { readDetails } from './read-details.ts'

/** One event with its deliveries and body; null when there is none, or none that the caller may see. */
export async function getEvent(caller: Caller, id: string): Promise<EventDetailsView | null> {
  if (!isUuid(id)) return null
  const { rows } = await pool().query<{ subject_id: string; owners: (string | null)[] }>(
    `SELECT e.subject_id, ARRAY[e.entity_uuid, t.user_uuid] AS owners
     FROM event e LEFT JOIN transaction t ON t.subject_id = e.subject_id WHERE e.id = $1`,
    [id],
  )
  const [found] = rows
  const owner = visibleTo(caller)
  if (!found || (owner !== null && !found.owners.includes(owner))) return null
  return (await readDetails(found.subject_id, id))[0] ?? null
}
