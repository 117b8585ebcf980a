import { isMasked } from '#lib/access/rules/mask.ts'
import { shortId } from '#lib/words/labels/short-id.ts'
import { CopyId } from '../copy-button.tsx'
import { SearchLink } from './search-link.tsx'

/** An id, shortened in its middle: a click looks for everything that names it, another copies it. A masked one is only shown. */
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
