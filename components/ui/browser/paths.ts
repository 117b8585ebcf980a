import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'

/** A part of an address as it was meant; one with a stray `%` is taken as it stands. */
export function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The page of a person or, among companies, of a company. Either address leads on to the other where it is the wrong one. */
export const personPath = (userUuid: string, isCompany: boolean): string =>
  `/${isCompany ? 'companies' : 'users'}/${encodeURIComponent(userUuid)}`

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
