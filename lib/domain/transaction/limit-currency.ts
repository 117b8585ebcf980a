import type { Direction } from '#lib/domain/delivery/steps.ts'

/**
 * The currency of `limit`, which §6.2 does not name: the limit is the least stablecoin amount for the chain (§8), so it is
 * that of the stablecoin that was sent. Null where that is not known.
 */
export const limitCurrency = ({
  direction,
  currencyCrypto,
}: {
  readonly direction: Direction | null
  readonly currencyCrypto: string | null
}): string | null => (direction === 'cryptoToFiat' ? currencyCrypto : null)
