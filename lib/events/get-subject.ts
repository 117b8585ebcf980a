import 'server-only'
import { countReading } from '#lib/audit/count-reading.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/domain/delivery/subject.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import type { EventDetailsView } from './event-view.ts'
import { readDetails } from './read-details.ts'

/** An account, a person or company, or what names nobody, with its timeline. */
export interface SubjectDetailsView {
  readonly subject: Subject
  /** In order. */
  readonly events: readonly EventDetailsView[]
}

/** One subject that is no transaction, as the caller's role may see it; null when there is none. Throws `NotAllowed`. */
export async function getSubject(caller: Caller, text: string): Promise<SubjectDetailsView | null> {
  requirePermission(caller, 'see-everything')
  const subject = parseSubjectId(textParameter(text))
  if (!subject || subject.kind === 'transaction') return null
  const events = await readDetails(caller.role, subjectId(subject))
  if (events.length === 0) return null
  await countReading(caller, 'read.subject', subjectId(subject))
  return { subject, events }
}
