import type { Direction } from '#lib/deliveries/rules/steps.ts'

/** What each direction is called, as the type of its events is. */
export const directionLabels = {
  fiatToCrypto: 'Fiat to stablecoin',
  cryptoToFiat: 'Stablecoin to fiat',
} as const satisfies Record<Direction, string>
