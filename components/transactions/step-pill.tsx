import { Pill } from '#components/ui/pill.tsx'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { doubtLabel } from '#lib/timeline/labels/doubt-label.ts'
import { directionLabels, reasonLabel, stepLabel } from '#lib/transactions/labels/step-labels.ts'
import type { Tone } from '#lib/words/labels/tone.ts'

interface Standing {
  readonly direction: Direction | null
  readonly step: string | null
  readonly reason?: string | null
  readonly stuck?: boolean
  /** These flags of the transaction concern its step. */
  readonly flags?: readonly string[]
}

/**
 * The pill shows the step of a transaction, what contradicts it or puts it in doubt, why it is held, and whether it
 * is stuck.
 */
export function StepPill(standing: Standing) {
  const { tone, words } = stepPill(standing)
  return (
    <Pill tone={tone} className="min-w-0">
      {words}
    </Pill>
  )
}

/** The pill is given as a tone and words. */
export function stepPill({ direction, step, reason = null, stuck = false, flags = [] }: Standing) {
  const { label, tone } = stepLabel(direction, step)
  const why = step === 'ON_HOLD' ? reasonLabel(step, reason) : null
  const words = [label, why, ...flags.map(doubtLabel), stuck && 'stuck'].filter(Boolean).join(' · ')
  const shown: Tone = stuck ? 'held' : tone
  return { tone: shown, words }
}

/** The label is "Fiat to stablecoin", or the other way. */
export const directionLabel = (direction: Direction | null): string =>
  direction === null ? 'Direction unknown' : directionLabels[direction]

/** The label is "To stablecoin" or "To fiat", for narrow columns. */
export const shortDirectionLabel = (direction: Direction | null): string =>
  direction === null ? 'Unknown' : { fiatToCrypto: 'To stablecoin', cryptoToFiat: 'To fiat' }[direction]
