import { Pill } from '#components/ui/pill.tsx'
import { doubtLabel } from '#lib/timeline/labels/doubt-label.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'

/** How an account, a person or a company stands by the events of one type, and what unsettles it. */
export function StandingPill({
  standing: { type, state, restricted, doubt },
}: {
  readonly standing: {
    readonly type: string
    readonly state: string | null
    readonly restricted: boolean
    readonly doubt?: string | null
  }
}) {
  const { label, tone } = eventLabel({ type, subType: state, status: state, restricted })
  const words = [label, doubt && doubtLabel(doubt)].filter(Boolean).join(' · ')
  return <Pill tone={tone}>{words}</Pill>
}
