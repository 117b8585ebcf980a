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
