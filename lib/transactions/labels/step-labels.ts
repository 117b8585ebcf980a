import type { StateOf, StepReason } from '#lib/deliveries/rules/event-states.ts'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import type { StaffWords } from '#lib/words/labels/tone.ts'

// The names are separate from the explanations, because a list of transactions needs only the names.

type StepName = Pick<StaffWords, 'label' | 'tone'>

/** Both directions have these steps. */
const common = {
  PENDING: { label: 'Pending', tone: 'wait' },
  IN_PROGRESS: { label: 'In progress', tone: 'move' },
  SUCCESS: { label: 'Success', tone: 'done' },
  ON_HOLD: { label: 'On hold', tone: 'held' },
  FAILED: { label: 'Failed', tone: 'fail' },
  REFUNDED: { label: 'Refunded', tone: 'back' },
} as const

/** §6.1 */
export const fiatToCryptoNames = {
  ...common,
  CRYPTO_TRANSFER_ISSUED: { label: 'Stablecoin sent', tone: 'move' },
} as const satisfies Record<StateOf<'fiatToCrypto'>, StepName>

/** §6.2 */
export const cryptoToFiatNames = {
  ...common,
  FIAT_TRANSFER_ISSUED: { label: 'Fiat transfer sent', tone: 'move' },
  LIMIT_BREACHED: { label: 'Below minimum', tone: 'fail' },
} as const satisfies Record<StateOf<'cryptoToFiat'>, StepName>

/** The reason refines a step; null when it only repeats the step. */
export const reasonNames = {
  ON_HOLD_KYC: 'KYC',
  ON_HOLD_PROCESS: 'processing',
  OUTSIDE_TRANSFER_IN_REVIEW: 'transfer in review',
  PROCESS_COMPLETED: null,
  PROCESS_FAILED: null,
} as const satisfies Record<StepReason, string | null>

/** The step gets its label; an unknown step is shown as it is. §6.1, §6.2 */
export function stepLabel(direction: Direction | null, step: string | null): StepName {
  const known = direction
    ? names[direction].get(step ?? '')
    : (names.fiatToCrypto.get(step ?? '') ?? names.cryptoToFiat.get(step ?? ''))
  return known ?? { label: step ?? 'No status', tone: 'wait' }
}

const names = {
  fiatToCrypto: new Map(Object.entries(fiatToCryptoNames)),
  cryptoToFiat: new Map(Object.entries(cryptoToFiatNames)),
} as const satisfies Record<Direction, ReadonlyMap<string, StepName>>

/** The reason refines the step, such as `KYC` for `ON_HOLD_KYC`; null when it only repeats the step. */
export function reasonLabel(step: string | null, reason: string | null): string | null {
  if (reason === null || reason === step) return null
  const known = reasons.get(reason)
  if (known !== undefined) return known
  if (step !== null && reason.startsWith(`${step}_`)) return reason.slice(step.length + 1)
  return reason
}

const reasons: ReadonlyMap<string, string | null> = new Map(Object.entries(reasonNames))

/** Each direction has the same name as the type of its events. */
export const directionLabels = {
  fiatToCrypto: 'Fiat to stablecoin',
  cryptoToFiat: 'Stablecoin to fiat',
} as const satisfies Record<Direction, string>

/** `polygon` becomes `Polygon`; a name with its own capitals is not changed. */
export const chainLabel = (chain: string): string =>
  /^[a-z][a-z ]*$/.test(chain) ? chain.charAt(0).toUpperCase() + chain.slice(1) : chain
