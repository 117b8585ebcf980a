import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/domain/delivery/subject.ts'
import type { Caller } from '#lib/request/caller.ts'
import { visibleTo } from '#lib/request/visible-to.ts'
import type { EventDetailsView } from './event-view.ts'
import { readDetails } from './read-details.ts'

/** An account, a person or company, or what names nobody, with its timeline. */
export interface SubjectDetailsView {
  readonly subject: Subject
  /** In order; for an end user those that concern them. */
  readonly events: readonly EventDetailsView[]
}

/** One subject that is no transaction; null when there is none, or none that the caller may see. Throws `NotAllowed`. */
export async function getSubject(caller: Caller, text: string): Promise<SubjectDetailsView | null> {
  const owner = visibleTo(caller)
  const subject = parseSubjectId(textParameter(text))
  if (!subject || subject.kind === 'transaction') return null
  const id = subjectId(subject)
  const { rows } = await pool().query(
    'SELECT FROM event WHERE subject_id = $1 AND ($2::text IS NULL OR entity_uuid = $2) LIMIT 1',
    [id, owner],
  )
  if (rows.length === 0) return null
  const events = (await readDetails(id)).filter(({ entityUuid }) => owner === null || entityUuid === owner)
  return { subject, events }
}
