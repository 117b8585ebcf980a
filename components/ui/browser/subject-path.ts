import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/uuid.ts'
import { personPath } from './person-path.ts'

/**
 * The page of a subject, given as `transaction:2046967a-…`: of what has none of its own its place in the timeline.
 * @param isCompany of an entity, as far as the caller knows; decision 0097
 */
export function subjectPath(subjectId: string, isCompany = false): string {
  const subject = parseSubjectId(subjectId)
  const id = encodeURIComponent(subject?.id ?? '')
  if (subject?.kind === 'transaction') return `/transactions/${id}`
  if (subject?.kind === 'bank-account') return `/accounts/${id}`
  if (subject?.kind === 'entity' && isLowerCaseUuid(subject.id)) return personPath(subject.id, isCompany)
  return `/timeline/${encodeURIComponent(subjectId)}`
}
