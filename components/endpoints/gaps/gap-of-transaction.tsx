import { ButtonLink } from '#components/ui/button-link.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { gapSeverity } from '#lib/endpoints/rules/gap-severity.ts'
import { GapCallout } from './gap-callout.tsx'
import { gapTitle, otherEndpointsMessage } from './gap-labels.ts'

/** On a transaction that was open in gaps which nobody has closed: its status, or a step of it, may be missing here. */
export function gapOfTransactionAlerts(gaps: readonly GapView[], finished: boolean): Alert[] {
  const open = gaps.filter(({ closed }) => closed === null)
  const [gap] = open.toSorted((a, b) => alertOrder(b) - alertOrder(a))
  if (!gap) return []
  const kind = finished || gapSeverity(gap) === 'info' ? 'info' : 'warning'
  const shown = (
    <GapCallout
      gap={gap}
      kind={kind}
      actions={
        <ButtonLink size="sm" href={`/gaps/${gap.id}`}>
          Open the gap
        </ButtonLink>
      }
    >
      {gapTitle(gap)}. {otherEndpointsMessage(gap)}{' '}
      {finished
        ? 'It has finished; steps on the way may not have arrived.'
        : 'It may have moved on without a word of it here.'}
    </GapCallout>
  )
  return [{ key: 'gap', kind, shown }]
}

/** Gaps without a substitute come first, then lasting ones. */
const alertOrder = (gap: GapView) => (gapSeverity(gap) === 'info' ? 0 : 2) + (gap.endedAt === null ? 1 : 0)
