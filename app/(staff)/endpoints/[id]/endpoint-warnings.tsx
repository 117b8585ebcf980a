import type { EndpointActions } from '#components/endpoints/endpoint-actions.ts'
import { endpointAlerts, type MissingHere } from '#components/endpoints/endpoint-alerts.tsx'
import { ConfirmSecret, EndpointRepair } from '#components/endpoints/endpoint-state-buttons.tsx'
import { GapCallout, GapFinding } from '#components/endpoints/gaps/gap-callout.tsx'
import { GapExports } from '#components/endpoints/gaps/gap-exports.tsx'
import { gapMeaning, otherEndpointsMessage } from '#components/endpoints/gaps/gap-labels.ts'
import { GapsTable } from '#components/endpoints/gaps/gaps-table.tsx'
import { strangerAlerts } from '#components/endpoints/gaps/stranger-alerts.tsx'
import { type MissedEvents, missedAlerts, missedSoFar } from '#components/endpoints/missed-events.tsx'
import { missingTypes, missingTypesAlerts } from '#components/endpoints/missing-types.tsx'
import { Card } from '#components/ui/card.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { type Alert, AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { timesOff } from '#lib/deliveries/rules/endpoint-states.ts'
import { listStates, type SeenState } from '#lib/endpoints/endpoint-states.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { type AskableGap, type GapsOfEndpoint, readGapsOfEndpoint } from '#lib/endpoints/gaps/gaps.ts'
import { listStrangerCalls, type StrangerCalls } from '#lib/endpoints/gaps/list-stranger-calls.ts'
import { readMissed } from '#lib/endpoints/replays/new-replay.ts'
import { gapSeverity, isSettled } from '#lib/endpoints/rules/gaps.ts'
import { env } from '#lib/platform/env.ts'
import { allowGapExportAction } from '../actions.ts'

/** The page shows what is wrong with an endpoint and what may be missing because of it, and then all its gaps. */
export async function EndpointWarnings({
  caller,
  endpoint,
  all,
  actions,
}: {
  readonly caller: Caller
  readonly endpoint: EndpointView
  readonly all: readonly EndpointView[]
  readonly actions: EndpointActions
}) {
  const mayManage = may(caller.role, 'manage-endpoints')
  const [gaps, missed] = await Promise.all([
    endpoint.ours ? readGapsOf(caller, endpoint.uuid) : null,
    readMissedEvents(caller, endpoint),
  ])
  const alerts = [
    ...endpointAlerts(endpoint, {
      buttons: {
        repair: mayManage && <EndpointRepair endpoint={endpoint} actions={actions} />,
        confirm: mayManage && <ConfirmSecret endpoint={endpoint} actions={actions} />,
      },
      missing: gaps ? missingHere(caller, gaps) : missedSoFar(missed),
      sandboxUrl: env().sandboxUrl?.href ?? null,
    }),
    ...(gaps ? gapAlertsOf(caller, gaps, endpoint.status === 'active') : []),
    ...missedAlerts(missed),
    ...(endpoint.ours ? missingTypesAlerts(missingTypes(all)) : []),
  ]
  return (
    <>
      <AlertSlot alerts={alerts} />
      {gaps && <EndpointGaps gaps={gaps.gaps} />}
    </>
  )
}

/** Deliveries may be missing because of the endpoint, and these strangers call it. */
interface GapsAndStrangers extends GapsOfEndpoint {
  readonly strangers: readonly StrangerCalls[]
}

async function readGapsOf(caller: Caller, endpointUuid: string): Promise<GapsAndStrangers> {
  const [gaps, strangers] = await Promise.all([
    readGapsOfEndpoint(caller, endpointUuid),
    listStrangerCalls(caller),
  ])
  return { ...gaps, strangers: strangers.filter(({ endpoint }) => endpoint?.uuid === endpointUuid) }
}

/** Deliveries may be missing while the gap lasts; the alert says so beside the reason. */
function missingHere(caller: Caller, { lasting }: Pick<GapsOfEndpoint, 'lasting'>): MissingHere | null {
  if (lasting === null) return null
  return {
    words: (
      <>
        <GapFinding gap={lasting} />
        {!lasting.closed && (
          <>
            {' '}
            {openCountMessage(lasting.total)} {otherEndpointsMessage(lasting)}
          </>
        )}
      </>
    ),
    actions: <GapActions caller={caller} gap={lasting} />,
    isSettled: isSettled(lasting),
  }
}

/**
 * The alerts are those of the endpoint's gaps and of strangers who call it. An endpoint that is not active has its
 * own alert about missing deliveries.
 */
function gapAlertsOf(caller: Caller, { lasting, strangers }: GapsAndStrangers, active: boolean): Alert[] {
  const alerts = strangerAlerts(strangers, false)
  if (lasting === null || lasting.closed || !active) return alerts
  const kind = gapSeverity(lasting)
  const shown = (
    <GapCallout gap={lasting} kind={kind} actions={<GapActions caller={caller} gap={lasting} />}>
      {openCountMessage(lasting.total)} {gapMeaning(lasting)} {otherEndpointsMessage(lasting)}
    </GapCallout>
  )
  return [{ key: 'gap', kind, shown }, ...alerts]
}

const GapActions = ({ caller, gap }: { readonly caller: Caller; readonly gap: AskableGap }) => (
  <>
    <GapExports gap={gap} allowExport={may(caller.role, 'work-on-cases') ? allowGapExportAction : null} />
    <ButtonLink href={`/gaps/${gap.id}`}>Show details</ButtonLink>
  </>
)

/** The card lists all gaps of the endpoint. */
function EndpointGaps({ gaps }: { readonly gaps: readonly GapView[] }) {
  if (gaps.length === 0) return null
  return (
    <Card>
      <h2 className="p-3.5 font-title text-muted text-sm">Missed deliveries</h2>
      <GapsTable gaps={gaps} />
    </Card>
  )
}

function openCountMessage({ count, exact }: { readonly count: number; readonly exact: boolean }): string {
  if (count === 0) return 'No known transaction was open.'
  if (count === 1) return '1 transaction was open.'
  return `${exact ? '' : 'More than '}${count.toLocaleString('en')} transactions were open.`
}

/** Nobody looks for deliveries that were missed longer ago than this, in ms. */
const offered = 7 * 86_400_000

/** The newest times off are offered, at most this many, because each one is counted. */
const most = 10

/** Times off are searched for in this many states. */
const statesRead = 100

/**
 * The endpoint elsewhere was not sent these events each time that it was off within the last week. They come from
 * what is stored here, newest first.
 */
export async function readMissedEvents(caller: Caller, endpoint: EndpointView): Promise<MissedEvents[]> {
  if (endpoint.ours || !may(caller.role, 'replay-deliveries')) return []
  const states = upToNow(endpoint, await listStates(caller, endpoint.uuid, statesRead))
  const times = timesOff(states).filter(({ until }) => !isOver(until))
  return Promise.all(
    times.slice(0, most).map(async (off) => ({
      endpointUuid: endpoint.uuid,
      off,
      missed: await readMissed(caller, endpoint, off),
    })),
  )
}

/** The present state is added, which the watcher's next check has not seen yet. */
function upToNow({ status, statusSince }: EndpointView, states: readonly SeenState[]): readonly SeenState[] {
  const [last, ...earlier] = states
  if (!statusSince || !last || last.status === status) return states
  return [{ status, ...statusSince, until: null }, { ...last, until: statusSince.by }, ...earlier]
}

const isOver = (until: string | null) => until !== null && Date.parse(until) < Date.now() - offered
