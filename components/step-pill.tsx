import type { Direction } from '#lib/domain/delivery/steps.ts'
import { doubtLabel } from '#lib/labels/doubt-label.ts'
import { reasonLabel, stepLabel } from '#lib/labels/step-labels.ts'
import { Pill } from './ui/pill.tsx'

/** Where a transaction stands: its step, what contradicts or unsettles it, why it is held, and whether it is stuck. */
export function StepPill({
  direction,
  step,
  reason = null,
  stuck = false,
  flags = [],
}: {
  readonly direction: Direction | null
  readonly step: string | null
  readonly reason?: string | null
  readonly stuck?: boolean
  /** Its own: those that bear on where it stands. */
  readonly flags?: readonly string[]
}) {
  const { label, tone } = stepLabel(direction, step)
  const why = step === 'ON_HOLD' ? reasonLabel(step, reason) : null
  const words = [label, ...flags.map(doubtLabel), why, stuck && 'stuck'].filter(Boolean).join(' · ')
  return (
    <Pill tone={stuck || flags.length > 0 ? 'held' : tone} className="min-w-0">
      {words}
    </Pill>
  )
}
