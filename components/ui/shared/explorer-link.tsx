import { ArrowUpRight } from 'lucide-react'
import { isMasked } from '#lib/access/rules/mask.ts'
import { chainLabel } from '#lib/transactions/labels/step-labels.ts'
import { SearchableId } from '../search/searchable.tsx'

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

/** A chain's explorer shows the value at this address; null when we know none. */
export function explorerAddress(kind: 'tx' | 'address', value: string, chain: string | null): string | null {
  const explorer = explorers.get(chain?.toLowerCase() ?? '')
  return explorer === undefined ? null : `https://${explorer}/${kind}/${encodeURIComponent(value)}`
}

/** ASSUMED: chains are named as the public main networks are, in lower case. Any other chain has no link. */
const explorers: ReadonlyMap<string, string> = new Map([
  ['ethereum', 'etherscan.io'],
  ['polygon', 'polygonscan.com'],
  ['arbitrum', 'arbiscan.io'],
  ['optimism', 'optimistic.etherscan.io'],
  ['base', 'basescan.org'],
])
