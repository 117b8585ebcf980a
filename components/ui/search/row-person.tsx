import { shortId } from '#lib/words/labels/formats.ts'
import { SearchLink } from './search-link.tsx'

/** The row belongs to this person: one click searches for everything of theirs, beside what the row itself opens. */
export const RowPerson = ({
  userUuid,
  email,
}: {
  readonly userUuid: string
  /** The address is null when it is unknown. */
  readonly email: string | null
}) => (
  <SearchLink text={userUuid} beside>
    {email ?? <span className="mono">{shortId(userUuid)}</span>}
  </SearchLink>
)
