import { eventLabel } from '#lib/labels/event-labels.ts'
import { Pill } from './ui/pill.tsx'

/** How an account, a person or a company stands by the events of one type. */
export function StandingPill({
  standing: { type, state, restricted },
}: {
  readonly standing: {
    readonly type: string
    readonly state: string | null
    readonly restricted: boolean
  }
}) {
  const { label, tone } = eventLabel({ type, subType: state, status: state, restricted })
  return (
    <Pill tone={tone} className="max-w-full">
      <span className="max-w-48 truncate" title={label}>
        {label}
      </span>
    </Pill>
  )
}
