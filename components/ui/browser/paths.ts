import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'

/** The part of an address is decoded; one with a stray `%` is taken as it is. */
export function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The page is that of a person, or of a company among companies. A wrong one of the two leads on to the other. */
export const personPath = (userUuid: string, isCompany: boolean): string =>
  `/${isCompany ? 'companies' : 'users'}/${encodeURIComponent(userUuid)}`

/**
 * The page of a subject, given as `transaction:2046967a-…`. A subject without its own page has its place in the
 * timeline. `isCompany` is for an entity, as far as the caller knows (decision 0064).
 */
export function subjectPath(subjectId: string, isCompany = false): string {
  const subject = parseSubjectId(subjectId)
  const id = encodeURIComponent(subject?.id ?? '')
  if (subject?.kind === 'transaction') return `/transactions/${id}`
  if (subject?.kind === 'bank-account') return `/accounts/${id}`
  if (subject?.kind === 'entity' && isLowerCaseUuid(subject.id)) return personPath(subject.id, isCompany)
  return `/timeline/${encodeURIComponent(subjectId)}`
}
