import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { directionLabels } from '#lib/transactions/labels/direction-labels.ts'

/** "Fiat to stablecoin", or the other way. */
export const directionLabel = (direction: Direction | null): string =>
  direction === null ? 'Direction unknown' : directionLabels[direction]

/** "To stablecoin" or "To fiat", where columns are narrow. */
export const shortDirectionLabel = (direction: Direction | null): string =>
  direction === null ? 'Unknown' : { fiatToCrypto: 'To stablecoin', cryptoToFiat: 'To fiat' }[direction]
