import type { Direction } from '#lib/deliveries/rules/steps.ts'

/**
 * The currency of `limit`, which §6.2 does not name. ASSUMED: that of the stablecoin that was sent, whose amount was compared
 * with the least for the chain (§8). Null where it is not known.
 */
export const limitCurrency = ({
  direction,
  currencyCrypto,
}: {
  readonly direction: Direction | null
  readonly currencyCrypto: string | null
}): string | null => (direction === 'cryptoToFiat' ? currencyCrypto : null)
