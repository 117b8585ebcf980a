import { Callout } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { lostWithout } from './missing-types.ts'

/** Which types no endpoint brings here, and what is not seen for want of them; none when all come. */
export const missingTypesAlerts = (types: readonly EventType[]): Alert[] =>
  types.length === 0 ? [] : [{ key: 'missing-types', kind: 'warning', shown: <MissingTypes types={types} /> }]

function MissingTypes({ types }: { readonly types: readonly EventType[] }) {
  return (
    <Callout
      kind="warning"
      title={`${types.length} of ${eventTypes.length} kinds of events do not come to this dashboard.`}
    >
      <LostWithout types={types} />
    </Callout>
  )
}

/** Each type with what is lost without it. */
export const LostWithout = ({ types }: { readonly types: readonly EventType[] }) => (
  <ul className="grid gap-0.5">
    {types.map((type) => (
      <li key={type}>
        <span className="font-label text-text">{eventTypeLabels[type].label}:</span> {lostWithout[type]}.
      </li>
    ))}
  </ul>
)
