import type { Direction } from '#lib/domain/delivery/steps.ts'
import {
  cryptoToFiatWords,
  fiatToCryptoWords,
  type ReasonWords,
  reasonWords,
} from './event-transaction-words.ts'
import type { StaffLabel, StaffWords } from './tone.ts'

// Apart from the words of other events: a list of transactions needs these alone.

/** The words of a transaction's step; one we do not know is shown as it is. §6.1, §6.2 */
export function stepLabel(direction: Direction | null, step: string | null): StaffLabel {
  const known = direction
    ? words[direction].get(step ?? '')
    : (words.fiatToCrypto.get(step ?? '') ?? words.cryptoToFiat.get(step ?? ''))
  return known ?? { label: step ?? 'No step', meaning: null, tone: 'wait', next: null }
}

const words = {
  fiatToCrypto: new Map(Object.entries(fiatToCryptoWords)),
  cryptoToFiat: new Map(Object.entries(cryptoToFiatWords)),
} as const satisfies Record<Direction, ReadonlyMap<string, StaffWords>>

/** The finer reason beside a step: `KYC` for `ON_HOLD_KYC`; null when it only repeats the step. */
export function reasonLabel(step: string | null, reason: string | null): string | null {
  if (reason === null || reason === step) return null
  const known = reasons.get(reason)
  if (known) return known.label
  if (step !== null && reason.startsWith(`${step}_`)) return reason.slice(step.length + 1)
  return reason
}

/** What is said of each reason. */
export const reasons: ReadonlyMap<string, ReasonWords> = new Map(Object.entries(reasonWords))
