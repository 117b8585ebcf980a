import { clsx } from 'clsx'
import { isMasked } from '#lib/access/rules/mask.ts'
import { SearchLink } from './search-link.tsx'

/** An e-mail address or a number that a click looks for. A masked one is only shown. */
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
