import { toneIcons } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import { type Direction, finalSteps } from '#lib/deliveries/rules/steps.ts'
import type { OwnStepView } from '#lib/people/own/own-transactions.ts'
import type { UsualDuration } from '#lib/people/own/read-usual-duration.ts'
import { type CustomerWords, customerStep } from '#lib/words/labels/customer-labels.ts'
import { formatSpan } from '#lib/words/labels/duration.ts'

/** The steps of one's own transaction come newest first, in words for customers. */
export function OwnTimeline({
  words,
  direction,
  steps,
  conflict,
  stuck,
}: {
  readonly words: CustomerWords
  readonly direction: Direction | null
  readonly steps: readonly OwnStepView[]
  /**
   * `conflict`: another step contradicts the outcome. One sentence says for all of them that this is being
   * clarified.
   */
  readonly conflict: boolean
  /** `stuck`: the transaction is late at its present step. */
  readonly stuck: boolean
}) {
  const isUnsettled = ({ step }: OwnStepView) => conflict && finalSteps.includes(step)
  const newest = steps.findLast(isUnsettled)
  return (
    <ol>
      {steps
        .filter((step) => !isUnsettled(step) || step === newest)
        .toReversed()
        .map((step) => (
          <TimelineStep
            key={step.id}
            words={words}
            direction={direction}
            conflict={step === newest}
            stuck={stuck && step === steps.at(-1)}
            {...step}
          />
        ))}
    </ol>
  )
}

function TimelineStep({
  words,
  direction,
  step,
  reason,
  at,
  before,
  conflict,
  stuck,
}: OwnStepView & {
  readonly words: CustomerWords
  readonly direction: Direction | null
  readonly conflict: boolean
  readonly stuck: boolean
}) {
  const { label, meaning, tone } = customerStep(words, direction, step, reason, { conflict, stuck })
  const Icon = toneIcons[tone]
  const time = <Time key="time" at={at} style="dated" />
  return (
    <li data-tone={tone} className="group relative flex gap-3.5 pb-6 last:pb-0">
      <span aria-hidden className="absolute top-7 bottom-0 left-3.25 w-0.5 bg-line group-last:hidden" />
      <span className="grid size-7 shrink-0 place-items-center rounded-full bg-tone-bg text-tone">
        <Icon className="size-3.5 [stroke-width:2.4]" aria-hidden />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="min-w-0 font-strong">{label}</span>
          <span className="num text-muted text-sm">
            {before ? words.rich('account.before', { time: () => time }) : time}
          </span>
        </p>
        {meaning && <p className="text-muted text-table">{meaning}</p>}
      </div>
    </li>
  )
}

/** The note says how long other transactions took, for a customer who waits. */
export const UsualDurationNote = ({
  words,
  usual: { usualSeconds, mostSeconds, count },
}: {
  readonly words: CustomerWords
  readonly usual: UsualDuration
}) => (
  <p className="mt-2 text-muted text-table">
    {words('account.usually', {
      usual: formatSpan(usualSeconds, words.language),
      most: formatSpan(mostSeconds, words.language),
    })}{' '}
    {words('account.usuallyFrom', { count })}
  </p>
)
