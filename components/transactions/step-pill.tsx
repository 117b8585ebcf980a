import { Pill } from '#components/ui/pill.tsx'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { doubtLabel } from '#lib/timeline/labels/doubt-label.ts'
import { reasonLabel, stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { directionLabels } from '#lib/transactions/labels/transaction-labels.ts'
import type { Tone } from '#lib/words/labels/tone.ts'

interface Standing {
  readonly direction: Direction | null
  readonly step: string | null
  readonly reason?: string | null
  readonly stuck?: boolean
  /** Its own: those that bear on where it stands. */
  readonly flags?: readonly string[]
}

/** Where a transaction stands: its step, what contradicts or unsettles it, why it is held, and whether it is stuck. */
export function StepPill(standing: Standing) {
  const { tone, words } = stepPill(standing)
  return (
    <Pill tone={tone} className="min-w-0">
      {words}
    </Pill>
  )
}

/** The same as a tone and words. */
export function stepPill({ direction, step, reason = null, stuck = false, flags = [] }: Standing) {
  const { label, tone } = stepLabel(direction, step)
  const why = step === 'ON_HOLD' ? reasonLabel(step, reason) : null
  const words = [label, ...flags.map(doubtLabel), why, stuck && 'stuck'].filter(Boolean).join(' · ')
  const shown: Tone = stuck ? 'held' : tone
  return { tone: shown, words }
}

/** "Fiat to stablecoin", or the other way. */
export const directionLabel = (direction: Direction | null): string =>
  direction === null ? 'Direction unknown' : directionLabels[direction]

/** "To stablecoin" or "To fiat", where columns are narrow. */
export const shortDirectionLabel = (direction: Direction | null): string =>
  direction === null ? 'Unknown' : { fiatToCrypto: 'To stablecoin', cryptoToFiat: 'To fiat' }[direction]
