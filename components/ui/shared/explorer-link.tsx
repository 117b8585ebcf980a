import { ArrowUpRight } from 'lucide-react'
import { isMasked } from '#lib/access/rules/mask.ts'
import { chainLabel } from '#lib/transactions/labels/step-labels.ts'
import { SearchableId } from '../search/searchable.tsx'
import { explorerAddress } from './explorer-address.ts'

/** The transaction hash or address has a link to its chain's explorer when we know one. */
export function ExplorerLink({
  kind,
  value,
  chain,
}: {
  readonly kind: 'tx' | 'address'
  readonly value: string
  readonly chain: string | null
}) {
  const address = isMasked(value) ? null : explorerAddress(kind, value, chain)
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <SearchableId id={value} />
      {address && chain && (
        <a
          href={address}
          target="_blank"
          rel="noreferrer"
          aria-label={`See ${value} in the explorer of ${chainLabel(chain)}`}
          title={`${chainLabel(chain)} explorer`}
          className="touch-target relative grid size-6 shrink-0 place-items-center rounded-md text-faint hover:bg-hover hover:text-text"
        >
          <ArrowUpRight className="size-3.5" aria-hidden />
        </a>
      )}
    </span>
  )
}
