import { doubtLabel } from '#lib/labels/doubt-label.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { Pill } from '../ui/pill.tsx'

/** How far the service has verified a user, in the words of KYC events; one without words is shown as it is. */
export function UserStatusPill({
  status,
  doubt = null,
}: {
  readonly status: string
  /** What unsettles that in the events. */
  readonly doubt?: string | null | undefined
}) {
  const { label, tone } = eventLabel({ type: 'KYC', subType: null, status })
  return <Pill tone={tone}>{doubt ? `${label} · ${doubtLabel(doubt)}` : label}</Pill>
}
