import { personPath, subjectPath } from '#components/ui/browser/paths.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import type { Found, FoundSubject } from '#lib/search/found.ts'

/**
 * A whole id, e-mail address or customer number names one page, even when other records contain it: that of the
 * subject, or of the person before all that is theirs. Null when there is no such page.
 */
export function namedPath({ exact, named, rows, people, why }: Found): string | null {
  const subject = exact ?? (named.length === 1 ? named[0]?.subjectId : null)
  if (subject) return subjectPath(subject)
  const [person, other] = people
  if (person && !other && isWhole(person.why)) return personPath(person.userUuid, false)
  const [owner, another] = new Set(
    rows.map((row) => (ownValue(why, row.subjectId)?.field === 'person' ? ownerOf(row) : null)),
  )
  return owner && another === undefined ? personPath(owner, false) : null
}

const isWhole = ({ field, text, marks: [mark] }: Found['people'][number]['why']) =>
  (field === 'email' || field === 'customer-number') && mark?.from === 0 && mark.to === text.length

const ownerOf = (row: FoundSubject) => ('latest' in row ? row.latest.entityUuid : row.userUuid)
