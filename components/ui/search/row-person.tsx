import { shortId } from '#lib/words/labels/formats.ts'
import { SearchLink } from './search-link.tsx'

/** Whose a row is: everything of this person is one click away, beside what the row itself opens. */
export const RowPerson = ({
  userUuid,
  email,
}: {
  readonly userUuid: string
  /** Null where it is not known. */
  readonly email: string | null
}) => (
  <SearchLink text={userUuid} beside>
    {email ?? <span className="mono">{shortId(userUuid)}</span>}
  </SearchLink>
)
