import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import type { UsualNext } from '#lib/transactions/rules/usual-next.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'

/** What followed this step in the merchant’s own history. */
export function UsuallyNext({
  direction,
  usual: { count, nexts },
  stuck,
}: {
  readonly direction: Direction | null
  readonly usual: UsualNext
  /** It is late: how soon others went on is no longer said. */
  readonly stuck: boolean
}) {
  return (
    <section aria-label="What usually comes next" className="mt-3 text-muted text-sm">
      <p>
        Usually next:{' '}
        {nexts.map(({ step, ofHundred, halfMs }, at) => (
          <span key={step}>
            {at > 0 && ', '}
            <span className={at === 0 ? 'text-text' : undefined}>{stepLabel(direction, step).label}</span>
            {at === 0 && halfMs !== null && !stuck && ` after about ${formatDuration(halfMs / 1000)}`}{' '}
            <span className="num">({at === 0 ? `${ofHundred} of 100` : ofHundred})</span>
          </span>
        ))}
        . From {count.toLocaleString('en')} that went on, of the last 14 days.
      </p>
    </section>
  )
}
