import type { Total } from '#lib/platform/paging/paging.ts'
import { ButtonLink } from '../button-link.tsx'
import { waitingWords } from './waiting-words.ts'

export interface ListFootProps {
  readonly total: Total
  readonly one: string
  readonly many: string
  /** `newest` is null on the first page. */
  readonly newest: string | null
  /** `older` is null on the last page. */
  readonly older: string | null
}

/**
 * The foot of a list that the server draws page by page shows the number of rows, and leads to the newest and to
 * older ones.
 */
export function ListFoot({
  total: { count, exact },
  one,
  many,
  newest,
  older,
  waiting = 0,
}: ListFootProps & {
  /** `waiting` rows are above the list until somebody asks for them. */
  readonly waiting?: number
}) {
  if (count === 0 && newest === null) return null
  return (
    <nav
      aria-label="Pages"
      className="flex min-h-12 flex-wrap items-center justify-between gap-3 border-t px-3 py-2 text-muted text-sm"
    >
      <span>
        {exact ? '' : 'More than '}
        {count.toLocaleString('en')} {count === 1 ? one : many}
        {waiting > 0 && `, ${waitingWords(waiting)} above`}
      </span>
      <span className="flex gap-1.5">
        {newest && (
          <ButtonLink size="sm" href={newest}>
            Newest
          </ButtonLink>
        )}
        {older && (
          <ButtonLink size="sm" href={older}>
            Older
          </ButtonLink>
        )}
      </span>
    </nav>
  )
}
