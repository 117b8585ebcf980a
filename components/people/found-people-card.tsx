import { FoundBy, otherNames } from '#components/search/near-misses.tsx'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import type { FoundPerson } from '#lib/search/found.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** A search named these people. The card is above what they did. */
export const FoundPeopleCard = ({ people }: { readonly people: readonly FoundPerson[] }) => (
  <Card className="mt-4" aria-label="People">
    <ul>
      {people.map((person) => (
        <li
          key={person.userUuid}
          className="relative flex flex-wrap gap-x-4 gap-y-1 border-b px-3.5 py-3 text-table last:border-b-0 hover:bg-hover"
        >
          <Link href={`/users/${person.userUuid}`} data-row className="wrap-anywhere font-strong row-link">
            <FoundBy why={person.why} />
          </Link>
          {otherNames(person).map((text) => (
            <span key={text} className="wrap-anywhere">
              {text}
            </span>
          ))}
          {person.why.field !== 'person' && (
            <span className="mono text-muted">{shortId(person.userUuid)}</span>
          )}
        </li>
      ))}
    </ul>
  </Card>
)
