import { Pill } from '#components/ui/pill.tsx'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { type CustomerWords, customerStep } from '#lib/words/labels/customer-labels.ts'

/** Where one's own transaction stands. */
export function OwnStepPill({
  words,
  direction,
  step,
  conflict,
  stuck,
}: {
  readonly words: CustomerWords
  readonly direction: Direction | null
  readonly step: string | null
  /** Its outcome is contradicted by another event. */
  readonly conflict: boolean
  /** It is late. */
  readonly stuck: boolean
}) {
  const { label, tone } = customerStep(words, direction, step, null, { conflict, stuck })
  return <Pill tone={tone}>{label}</Pill>
}
