import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { cryptoToFiatNames, fiatToCryptoNames, reasonNames, type StepName } from './step-names.ts'

/** What a transaction's step is called; one we do not know is shown as it is. §6.1, §6.2 */
export function stepLabel(direction: Direction | null, step: string | null): StepName {
  const known = direction
    ? names[direction].get(step ?? '')
    : (names.fiatToCrypto.get(step ?? '') ?? names.cryptoToFiat.get(step ?? ''))
  return known ?? { label: step ?? 'No step', tone: 'wait' }
}

const names = {
  fiatToCrypto: new Map(Object.entries(fiatToCryptoNames)),
  cryptoToFiat: new Map(Object.entries(cryptoToFiatNames)),
} as const satisfies Record<Direction, ReadonlyMap<string, StepName>>

/** The finer reason beside a step: `KYC` for `ON_HOLD_KYC`; null when it only repeats the step. */
export function reasonLabel(step: string | null, reason: string | null): string | null {
  if (reason === null || reason === step) return null
  const known = reasons.get(reason)
  if (known !== undefined) return known
  if (step !== null && reason.startsWith(`${step}_`)) return reason.slice(step.length + 1)
  return reason
}

const reasons: ReadonlyMap<string, string | null> = new Map(Object.entries(reasonNames))
