import { ArrowUpRight } from 'lucide-react'
import { chainLabel } from '#lib/labels/event-labels.ts'
import { ShortId } from './ui/short-id.tsx'

/** A transaction hash or an address, with the way to its chain's explorer where we know one. */
export function ExplorerLink({
  kind,
  value,
  chain,
}: {
  readonly kind: 'tx' | 'address'
  readonly value: string
  readonly chain: string | null
}) {
  const address = explorerAddress(kind, value, chain)
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <ShortId id={value} />
      {address && chain && (
        <a
          href={address}
          target="_blank"
          rel="noreferrer"
          aria-label={`See ${value} in the explorer of ${chainLabel(chain)}`}
          title={`${chainLabel(chain)} explorer`}
          className="touch-target relative grid size-6 place-items-center rounded-md text-faint hover:bg-hover hover:text-text"
        >
          <ArrowUpRight className="size-3.5" aria-hidden />
        </a>
      )}
    </span>
  )
}

/** Where a chain's explorer shows it; null where we know none. */
export function explorerAddress(kind: 'tx' | 'address', value: string, chain: string | null): string | null {
  const explorer = explorers.get(chain?.toLowerCase() ?? '')
  return explorer === undefined ? null : `https://${explorer}/${kind}/${encodeURIComponent(value)}`
}

/** ASSUMED: chains are named as the public main networks are, lower case; for any other there is no link. */
const explorers: ReadonlyMap<string, string> = new Map([
  ['ethereum', 'etherscan.io'],
  ['polygon', 'polygonscan.com'],
  ['arbitrum', 'arbiscan.io'],
  ['optimism', 'optimistic.etherscan.io'],
  ['base', 'basescan.org'],
])
