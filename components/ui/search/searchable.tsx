import { clsx } from 'clsx'
import { isMasked } from '#lib/access/rules/mask.ts'
import { isPseudonym } from '#lib/deliveries/rules/erase-envelope.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { CopyButton, CopyId } from '../copy-button.tsx'
import { Link } from '../link.tsx'
import { SearchLink } from './search-link.tsx'

/**
 * The id is shortened in its middle. One click searches for everything that names it, another copies it. A masked
 * id is only shown.
 */
export const SearchableId = ({ id }: { readonly id: string }) =>
  isMasked(id) ? (
    <span className="mono">{id}</span>
  ) : (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <SearchLink text={id} className="mono min-w-0 whitespace-nowrap underline underline-offset-2">
        {shortId(id)}
      </SearchLink>
      <CopyId id={id} />
    </span>
  )

/** A click searches for the e-mail address or number. A masked one is only shown. */
export const SearchableText = ({
  text,
  className,
}: {
  readonly text: string
  readonly className?: string
}) =>
  isMasked(text) ? (
    text
  ) : (
    <SearchLink text={text} className={clsx('underline underline-offset-2', className)}>
      {text}
    </SearchLink>
  )

/** The link opens the page of a person or company by its uuid, which can be copied. */
export function PersonLink({ userUuid }: { readonly userUuid: string }) {
  if (isPseudonym(userUuid)) return <span className="mono">{userUuid}</span>
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <Link
        href={`/users/${encodeURIComponent(userUuid)}`}
        title={userUuid}
        className="mono inline-block max-w-full break-words underline underline-offset-2"
      >
        {shortId(userUuid)}
      </Link>
      <CopyButton text={userUuid} label={`Copy ${userUuid}`} />
    </span>
  )
}

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
