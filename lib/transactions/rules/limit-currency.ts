import type { Direction } from '#lib/deliveries/rules/steps.ts'

/**
 * §6.2 does not name the currency of `limit`. ASSUMED: it is that of the stablecoin that was sent, whose amount
 * was compared with the minimum of the chain (§8). Null when it is not known.
 */
export const limitCurrency = ({
  direction,
  currencyCrypto,
}: {
  readonly direction: Direction | null
  readonly currencyCrypto: string | null
}): string | null => (direction === 'cryptoToFiat' ? currencyCrypto : null)
