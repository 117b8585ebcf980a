import { ButtonLink } from '#components/ui/button-link.tsx'
import type { CalloutKind } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import type { GapPage } from '#lib/endpoints/gaps/list-gaps.ts'
import { gapSeverity } from '#lib/endpoints/rules/gap-severity.ts'
import { GapCallout } from './gap-callout.tsx'
import { gapTitle, otherEndpointsMessage } from './gap-labels.ts'

/** Says that deliveries may be missing: each gap that lasts, and the latest of those that are over; nothing when none is open. */
export function gapAlerts(gaps: GapPage): Alert[] {
  const lasting = gaps.rows.filter(({ endedAt }) => endedAt === null)
  const ended = gaps.rows.filter(({ endedAt }) => endedAt !== null)
  const [latest] = ended
  const alerts = lasting.map((gap) => gapAlert(gap, gapSeverity(gap)))
  if (!latest) return alerts
  const kind = ended.every((gap) => gapSeverity(gap) === 'info') ? 'info' : 'warning'
  return [...alerts, gapAlert(latest, kind, ended.length > 1 ? more(ended.length - 1, gaps) : null)]
}

function gapAlert(gap: GapView, kind: CalloutKind, earlier: string | null = null): Alert {
  const shown = (
    <GapCallout
      gap={gap}
      kind={kind}
      actions={
        <ButtonLink href={earlier === null ? `/gaps/${gap.id}` : '/gaps'}>
          {earlier === null ? 'Open the gap' : 'Show the gaps'}
        </ButtonLink>
      }
    >
      {gapTitle(gap)}. {otherEndpointsMessage(gap)}
      {earlier !== null && ` Earlier gaps that nobody has closed: ${earlier}.`}
    </GapCallout>
  )
  return { key: `gap ${gap.id}`, kind, shown }
}

const more = (count: number, { next }: GapPage) => (next ? `more than ${count}` : String(count))
