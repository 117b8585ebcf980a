import { Link } from '#components/ui/link.tsx'
import { SearchLink } from '#components/ui/search/search-link.tsx'
import { allLabel } from '#components/ui/shared/total-label.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import { addressOf } from '../address-of.ts'

/**
 * The link below the newest transactions of a person or an account leads to the list of all. It is hidden when
 * there are no more.
 */
export function AllTransactions({
  shown,
  total,
  of,
}: {
  readonly shown: number
  readonly total: Total
  readonly of: { readonly userUuid: string } | { readonly account: string }
}) {
  if (total.exact && total.count <= shown) return null
  return (
    <p data-commands="" className="border-t px-3.5 py-2.5 text-sm">
      {'userUuid' in of ? (
        <Link href={addressOf('/transactions', { user: of.userUuid })} className="underline">
          {allLabel(total)}
        </Link>
      ) : (
        <SearchLink text={of.account} className="underline">
          {allLabel(total)}
        </SearchLink>
      )}
    </p>
  )
}
