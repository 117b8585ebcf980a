import { Check } from 'lucide-react'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ReceiverState } from '#lib/deliveries/rules/endpoint-states.ts'
import { eventTypes, isEventType } from '#lib/deliveries/rules/event-types.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import { eventGroups, eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { EndpointStatusPill } from './endpoint-status.tsx'

/** The card shows what the service says of an endpoint, and what arrived here. */
export function EndpointFacts({ endpoint }: { readonly endpoint: EndpointView }) {
  const { uuid, url, status, ours, receiver } = endpoint
  return (
    <Card title="Endpoint">
      <Facts>
        <Fact name="Status">
          <EndpointStatusPill status={status} />
        </Fact>
        <Fact name="Delivers to">
          <span className="mono break-all">{url}</span> <CopyButton text={url} label="Copy the URL" />
        </Fact>
        <Fact name="Last delivery">
          {!ours ? (
            <span className="text-muted">Not seen here: the provider delivers elsewhere</span>
          ) : receiver?.lastDeliveryAt ? (
            <>
              <Time at={receiver.lastDeliveryAt} />
              <span className="text-muted">
                , <Time at={receiver.lastDeliveryAt} style="clock" className="num" />
              </span>
            </>
          ) : (
            <span className="text-muted">None yet</span>
          )}
        </Fact>
        {receiver && (
          <>
            <Fact name="Failed deliveries">
              <span className={receiver.refused > 0 ? 'num font-strong text-fail' : 'num'}>
                {receiver.refused}
              </span>{' '}
              <span className="text-muted">in the last 24 hours</span>
            </Fact>
            <Fact name="Secret">{secretLabels[receiver.state]}</Fact>
          </>
        )}
        <Fact name="ID">
          <ShortId id={uuid} />
        </Fact>
      </Facts>
    </Card>
  )
}

const inUse = 'Active (stored as a hash)'
const secretLabels = {
  pending: 'Not confirmed yet: deliveries are deferred',
  active: inUse,
  rotating: 'Being rotated: deliveries are deferred',
  deleting: inUse,
  closed: 'Closed: deliveries to its address are refused',
} as const satisfies Record<ReceiverState, string>

/** The card lists the event types that the endpoint receives, with the meaning of each. */
export function EndpointEvents({ events }: { readonly events: readonly string[] | null }) {
  const unknown = events?.filter((type) => !isEventType(type)) ?? []
  const shown = eventGroups
    .map((group) => ({
      group,
      types: eventTypes.filter(
        (type) => eventTypeLabels[type].group === group && (events === null || events.includes(type)),
      ),
    }))
    .filter(({ types }) => types.length > 0)
  return (
    <Card
      title={
        events === null ? 'Receives every event' : `Receives ${events.length} of ${eventTypes.length} events`
      }
    >
      <div className="grid gap-4">
        {shown.map(({ group, types }) => (
          <div key={group}>
            <h3 className="mb-1 text-faint text-xs">{group}</h3>
            <ul className="grid gap-1 text-table">
              {types.map((type) => (
                <li key={type} className="flex gap-2" title={eventTypeLabels[type].meaning}>
                  <Check className="mt-1 size-3.5 text-done" aria-hidden />
                  {eventTypeLabels[type].label}
                </li>
              ))}
            </ul>
          </div>
        ))}
        {unknown.length > 0 && <p className="mono break-all text-sm">{unknown.join(', ')}</p>}
      </div>
    </Card>
  )
}
