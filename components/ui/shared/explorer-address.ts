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
