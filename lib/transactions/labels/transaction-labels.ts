import type { Direction } from '#lib/deliveries/rules/steps.ts'

/** What each direction is called, as the type of its events is. */
export const directionLabels = {
  fiatToCrypto: 'Fiat to stablecoin',
  cryptoToFiat: 'Stablecoin to fiat',
} as const satisfies Record<Direction, string>

/** `Polygon` for `polygon`; a name with capitals of its own stays as it is. */
export const chainLabel = (chain: string): string =>
  /^[a-z][a-z ]*$/.test(chain) ? chain.charAt(0).toUpperCase() + chain.slice(1) : chain
