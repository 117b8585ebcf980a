import { clsx } from 'clsx'
import { Callout, type CalloutKind } from '#components/ui/callout.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { isSettled } from '#lib/endpoints/rules/gaps.ts'
import { counted } from '#lib/words/labels/formats.ts'
import type { MendActions } from './endpoint-actions.ts'
import { endpointName, repairMessages } from './endpoint-labels.ts'
import { ActivateEndpointButton, EndpointRepair } from './endpoint-state-buttons.tsx'
import { HasBeenOff } from './endpoint-status.tsx'
import { GapFinding } from './gaps/gap-callout.tsx'
import { otherEndpointsMessage, refusalReasonsMessage } from './gaps/gap-labels.ts'
import { missingTypes, missingTypesAlerts } from './missing-types.tsx'

/**
 * The alerts say what keeps events from arriving. `gaps` are the lasting gaps of endpoints that the service
 * disabled, also closed ones.
 */
export function healthAlerts(
  endpoints: readonly EndpointView[],
  gaps: readonly GapView[],
  actions: MendActions | null,
): Alert[] {
  const switchedOff = endpoints.filter((endpoint) => endpoint.status === 'auto_disabled')
  const toRepair = endpoints.filter(
    (endpoint) => endpoint.repair !== null && endpoint.status !== 'auto_disabled',
  )
  const arriving = endpoints.some(
    ({ ours, status, repair }) => ours && status === 'active' && repair === null,
  )
  const alerts: Alert[] = [
    ...switchedOff.map((endpoint) => switchedOffAlert(endpoint, gapOf(endpoint, gaps), actions)),
    ...toRepair.map((endpoint) => ({
      key: endpoint.uuid,
      kind: 'warning' as const,
      shown: <ToRepair endpoint={endpoint} actions={actions} />,
    })),
  ]
  const isSaid = [...switchedOff, ...toRepair].some(({ ours }) => ours)
  if (arriving || isSaid) return [...alerts, ...missingTypesAlerts(missingTypes(endpoints))]
  const disabled = endpoints.find(({ ours, status }) => ours && status === 'disabled')
  return [
    {
      key: 'nothing-arrives',
      kind: 'warning',
      shown: <NothingArrives disabled={disabled} actions={actions} />,
    },
    ...alerts,
  ]
}

/** The gap that nobody has closed comes first. */
function gapOf({ uuid }: EndpointView, gaps: readonly GapView[]): GapView | null {
  const itsOwn = gaps.filter(({ endpoint }) => endpoint?.uuid === uuid)
  return itsOwn.find(({ closed }) => closed === null) ?? itsOwn[0] ?? null
}

function switchedOffAlert(endpoint: EndpointView, gap: GapView | null, actions: MendActions | null): Alert {
  const settled = gap && isSettled(gap) ? gap : null
  const kind = settled ? 'warning' : 'error'
  const shown = <SwitchedOff kind={kind} endpoint={endpoint} settled={settled} actions={actions} />
  return { key: endpoint.uuid, kind, shown }
}

interface OneEndpoint {
  readonly endpoint: EndpointView
  /** `actions` is null for roles that cannot change endpoints. */
  readonly actions: MendActions | null
}

const ToRepair = ({ endpoint, actions }: OneEndpoint) => (
  <Callout
    kind="warning"
    title={`Deliveries of “${endpointName(endpoint)}” ${endpoint.ours ? 'cannot be checked here' : 'need attention'}.`}
    actions={actions ? <EndpointRepair endpoint={endpoint} actions={actions} /> : open(endpoint)}
  >
    {endpoint.repair && repairMessages[endpoint.repair].inShort}
  </Callout>
)

const NothingArrives = ({
  disabled,
  actions,
}: {
  readonly disabled: EndpointView | undefined
  /** `actions` is null for roles that cannot change endpoints. */
  readonly actions: MendActions | null
}) => (
  <Callout
    kind="warning"
    title="No active endpoint delivers to this dashboard."
    actions={
      disabled
        ? toActivate(disabled, actions)
        : actions && (
            <ButtonLink variant="primary" href="/endpoints/new">
              Add this dashboard
            </ButtonLink>
          )
    }
  >
    {disabled && <>“{endpointName(disabled)}” is disabled. </>}
    Without one, nothing new appears on the timeline.
    {actions ? '' : ` Ask an admin to ${disabled ? 'activate' : 'add'} it.`}
  </Callout>
)

function SwitchedOff({
  endpoint,
  kind,
  settled,
  actions,
}: OneEndpoint & {
  readonly kind: CalloutKind
  /** `settled` is the endpoint's gap when nobody has to look for missing deliveries. */
  readonly settled: GapView | null
}) {
  const { receiver, ours, statusSince } = endpoint
  return (
    <Callout
      kind={kind}
      className={clsx(kind === 'error' && 'border border-fail px-5 py-4')}
      title={<span className="text-base">The provider switched off “{endpointName(endpoint)}”.</span>}
      actions={toActivate(endpoint, actions)}
    >
      {receiver && receiver.refused > 0 ? (
        <>
          {counted(receiver.refused, 'delivery', 'deliveries')} failed here in the last 24 hours
          {receiver.refusedSince && (
            <>
              , the first <Time at={receiver.refusedSince} style="clock" />
            </>
          )}
          : {refusalReasonsMessage(receiver.reasons)}.{' '}
        </>
      ) : null}
      <HasBeenOff since={statusSince} />
      It gets no deliveries until an admin activates it.
      {ours && receiver?.lastDeliveryAt && (
        <>
          {' '}
          The last delivery arrived <Time at={receiver.lastDeliveryAt} style="clock" />
          {settled ? '.' : '; later ones may be missing.'}
        </>
      )}
      {settled && (
        <>
          {' '}
          <GapFinding gap={settled} /> {!settled.closed && otherEndpointsMessage(settled)}
        </>
      )}
    </Callout>
  )
}

const toActivate = (endpoint: EndpointView, actions: MendActions | null) =>
  actions ? <ActivateEndpointButton endpoint={endpoint} actions={actions} /> : open(endpoint)

const open = (endpoint: EndpointView) => (
  <ButtonLink variant="primary" href={`/endpoints/${endpoint.uuid}`}>
    Open
  </ButtonLink>
)
