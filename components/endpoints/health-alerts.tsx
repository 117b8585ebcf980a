import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { refusalReasonsMessage } from '../gaps/refusal-labels.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'
import { endpointName, repairMessages } from './endpoint-labels.ts'

/** What keeps events from arriving, loudest first; nothing when all is well. */
export function HealthAlerts({
  endpoints,
  mayManage,
}: {
  readonly endpoints: readonly EndpointView[]
  readonly mayManage: boolean
}) {
  const switchedOff = endpoints.filter((endpoint) => endpoint.status === 'auto_disabled')
  const toRepair = endpoints.filter(
    (endpoint) => endpoint.repair !== null && endpoint.status !== 'auto_disabled',
  )
  const arriving = endpoints.some(
    ({ ours, status, repair }) => ours && status === 'active' && repair === null,
  )
  const disabled = endpoints.find(({ ours, status }) => ours && status === 'disabled')
  if (switchedOff.length === 0 && toRepair.length === 0 && arriving) return null
  return (
    <div className="grid gap-3">
      {switchedOff.map((endpoint) => (
        <SwitchedOff key={endpoint.uuid} endpoint={endpoint} mayManage={mayManage} />
      ))}
      {toRepair.map((endpoint) => (
        <Callout
          key={endpoint.uuid}
          kind="warning"
          title={`Deliveries of “${endpointName(endpoint)}” ${endpoint.ours ? 'cannot be checked here' : 'need a look'}.`}
          actions={open(endpoint, mayManage ? 'Repair…' : 'Open')}
        >
          {endpoint.repair && repairMessages[endpoint.repair].inShort}
        </Callout>
      ))}
      {!arriving && switchedOff.length === 0 && toRepair.length === 0 && (
        <Callout
          kind="warning"
          title="No active endpoint delivers to this dashboard."
          actions={
            disabled
              ? open(disabled, mayManage ? 'Activate…' : 'Open')
              : mayManage && (
                  <ButtonLink variant="primary" href="/endpoints/new">
                    Add this dashboard
                  </ButtonLink>
                )
          }
        >
          {disabled && <>“{endpointName(disabled)}” is disabled. </>}
          Without one, nothing new appears on the timeline.
          {mayManage ? '' : ` Ask an admin to ${disabled ? 'activate' : 'add'} it.`}
        </Callout>
      )}
    </div>
  )
}

function SwitchedOff({
  endpoint,
  mayManage,
}: {
  readonly endpoint: EndpointView
  readonly mayManage: boolean
}) {
  const { receiver, ours } = endpoint
  return (
    <Callout
      kind="error"
      className="border border-fail px-5 py-4"
      title={<span className="text-base">The service switched off “{endpointName(endpoint)}”.</span>}
      actions={open(endpoint, mayManage ? 'Repair…' : 'Open')}
    >
      {receiver && receiver.refused > 0 ? (
        <>
          {receiver.refused === 1 ? '1 delivery was' : `${receiver.refused} deliveries were`} not taken here
          in the last 24 hours
          {receiver.refusedSince && (
            <>
              , the first <Time at={receiver.refusedSince} style="clock" />
            </>
          )}
          : {refusalReasonsMessage(receiver.reasons)}.{' '}
        </>
      ) : null}
      Nothing is delivered to it until an admin sets it to active.
      {ours && receiver?.lastDeliveryAt && (
        <>
          {' '}
          The last delivery arrived <Time at={receiver.lastDeliveryAt} style="clock" />; later ones may be
          missing.
        </>
      )}
    </Callout>
  )
}

const open = (endpoint: EndpointView, label: string) => (
  <ButtonLink variant="primary" href={`/endpoints/${endpoint.uuid}`}>
    {label}
  </ButtonLink>
)
