import { parseSubjectId } from '#lib/domain/delivery/subject.ts'

/** The page of a subject, given as `transaction:2046967a-…`. */
export function subjectPath(subjectId: string): string {
  const subject = parseSubjectId(subjectId)
  return subject?.kind === 'transaction'
    ? `/transactions/${encodeURIComponent(subject.id)}`
    : `/timeline/${encodeURIComponent(subjectId)}`
}
