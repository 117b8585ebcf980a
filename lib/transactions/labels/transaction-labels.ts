import type { Direction } from '#lib/deliveries/rules/steps.ts'

/** Each direction has the same name as the type of its events. */
export const directionLabels = {
  fiatToCrypto: 'Fiat to stablecoin',
  cryptoToFiat: 'Stablecoin to fiat',
} as const satisfies Record<Direction, string>

/** `polygon` becomes `Polygon`; a name with its own capitals is not changed. */
export const chainLabel = (chain: string): string =>
  /^[a-z][a-z ]*$/.test(chain) ? chain.charAt(0).toUpperCase() + chain.slice(1) : chain
