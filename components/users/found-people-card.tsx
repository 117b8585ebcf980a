import Link from 'next/link'
import { shortId } from '#lib/labels/short-id.ts'
import type { FoundPerson } from '#lib/search/found.ts'
import { Card } from '../ui/card.tsx'

/** The people whom a search named, above what they did. */
export const FoundPeopleCard = ({ people }: { readonly people: readonly FoundPerson[] }) => (
  <Card className="mt-4" aria-label="People">
    <ul>
      {people.map(({ userUuid, email, customerNumber }) => (
        <li
          key={userUuid}
          className="relative flex flex-wrap gap-x-4 gap-y-1 border-b px-3.5 py-3 text-table last:border-b-0 hover:bg-hover"
        >
          <Link href={`/users/${userUuid}`} data-row className="font-strong row-link">
            {email ?? shortId(userUuid)}
          </Link>
          {customerNumber && <span>customer {customerNumber}</span>}
          <span className="mono text-muted">{shortId(userUuid)}</span>
        </li>
      ))}
    </ul>
  </Card>
)
