import { Check } from 'lucide-react'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import type { ReactElement } from 'react'
import { EndpointActionButtons } from '#components/endpoints/endpoint-action-buttons.tsx'
import { endpointName } from '#components/endpoints/endpoint-labels.ts'
import { EndpointStatusPill, TwinTag } from '#components/endpoints/endpoint-status.tsx'
import { HistoryCard } from '#components/endpoints/history-card.tsx'
import { hereWithout } from '#components/endpoints/missing-types.tsx'
import { RequestsCard, RequestsElsewhere } from '#components/endpoints/requests-card.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { RefusalCallout } from '#components/ui/form/refusal-callout.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { RetryButton } from '#components/ui/shared/retry-button.tsx'
import { ServiceAnswer } from '#components/ui/shared/service-answer.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { listEndpointHistory } from '#lib/audit/list-audit.ts'
import type { ReceiverState } from '#lib/deliveries/rules/endpoint-states.ts'
import { eventTypes, isEventType } from '#lib/deliveries/rules/event-types.ts'
import { listStates } from '#lib/endpoints/endpoint-states.ts'
import { type EndpointView, findEndpointAmongAll } from '#lib/endpoints/endpoints.ts'
import { listRequests, type RequestFilters, RequestFiltersSchema } from '#lib/endpoints/list-requests.ts'
import { readTraffic } from '#lib/endpoints/read-traffic.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import { eventGroups, eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { addressOf } from '../../address-of.ts'
import {
  changeEndpointAction,
  checkPublicAddressAction,
  confirmSecretAction,
  deleteEndpointAction,
  finishReplacementAction,
  repairEndpointAction,
  replaceEndpointAction,
  rotateSecretAction,
  setStatusAction,
} from '../actions.ts'
import { EndpointsSkeleton } from '../endpoints-shown.tsx'
import { EndpointWarnings } from './endpoint-warnings.tsx'

interface Props {
  readonly params: Promise<{ readonly id: string }>
  readonly searchParams: Promise<Record<string, unknown>>
}

export const metadata: Metadata = { title: 'Endpoint' }

export default async function EndpointPage({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id)
  const filters = RequestFiltersSchema.parse(await searchParams)
  const caller = await requirePage(
    'see-endpoint-health',
    addressOf(`/endpoints/${encodeURIComponent(id)}`, filters),
  )
  return <ServiceAnswer render={() => renderEndpoint(caller, id, filters)} standIn={<EndpointsSkeleton />} />
}

async function renderEndpoint(caller: Caller, id: string, filters: RequestFilters): Promise<ReactElement> {
  const found = await findEndpointAmongAll(caller, id).catch(onRefusal(Refused, (refusal) => refusal))
  if (found instanceof Refused) {
    return (
      <>
        <PageHeader title="Endpoint" actions={<ButtonLink href="/endpoints">All endpoints</ButtonLink>} />
        <RefusalCallout refusal={wordRefusal('en', found)} className="mt-5" actions={<RetryButton />} />
      </>
    )
  }
  const { endpoint, all } = found
  if (endpoint === null) notFound()
  const mayManage = may(caller.role, 'manage-endpoints')
  const actions = {
    change: changeEndpointAction,
    setStatus: setStatusAction,
    rotate: rotateSecretAction,
    repair: repairEndpointAction,
    remove: deleteEndpointAction,
    replace: replaceEndpointAction,
    finish: finishReplacementAction,
    check: checkPublicAddressAction,
    confirm: confirmSecretAction,
  }
  // The parts below are siblings, so they read their data at the same time.
  return (
    <>
      <RowKeys />
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            {endpointName(endpoint)}
            {endpoint.ours && <Tag>This dashboard</Tag>}
            <TwinTag endpoint={endpoint} />
          </span>
        }
        actions={
          mayManage && (
            <EndpointActionButtons
              endpoint={endpoint}
              actions={actions}
              sandbox={env().sandboxUrl !== null}
              without={hereWithout(endpoint, all)}
            />
          )
        }
      >
        {!mayManage && 'Only admins can change endpoints.'}
      </PageHeader>
      <div className="mt-5 grid gap-4">
        <EndpointWarnings caller={caller} endpoint={endpoint} all={all ?? []} actions={actions} />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 @min-[45rem]/main:grid-cols-[minmax(0,1fr)_20rem]">
          <div className="grid min-w-0 gap-4">
            <EndpointFacts endpoint={endpoint} />
            <EndpointHistory caller={caller} endpointUuid={endpoint.uuid} />
          </div>
          <EndpointEvents events={endpoint.subscribedEvents} />
        </div>
        {endpoint.ours || endpoint.receiver ? (
          <EndpointRequests caller={caller} endpoint={endpoint} filters={filters} />
        ) : (
          <RequestsElsewhere
            sendFrom={
              may(caller.role, 'replay-deliveries') ? `/replays/new?send=${endpoint.uuid}&once=yes` : null
            }
          />
        )}
      </div>
    </>
  )
}

/** The card shows what arrived at an endpoint of this dashboard, and when more is expected. */
async function EndpointRequests({
  caller,
  endpoint: { uuid, status },
  filters,
}: {
  readonly caller: Caller
  readonly endpoint: EndpointView
  readonly filters: RequestFilters
}) {
  const [page, traffic] = await Promise.all([listRequests(caller, uuid, filters), readTraffic(caller, uuid)])
  return (
    <>
      <RequestsCard
        path={`/endpoints/${uuid}`}
        filters={filters}
        page={page}
        traffic={traffic}
        active={status === 'active'}
      />
      <RefreshEvery seconds={30} />
    </>
  )
}

/** The page shows this many changes made here. */
const shown = 12

/** The history has every change of an endpoint, made here or seen from here. */
async function EndpointHistory({
  caller,
  endpointUuid,
}: {
  readonly caller: Caller
  readonly endpointUuid: string
}) {
  const [listed, states] = await Promise.all([
    listEndpointHistory(caller, endpointUuid, shown + 1),
    listStates(caller, endpointUuid),
  ])
  const audit = may(caller.role, 'read-audit') ? `/audit?about=${endpointUuid}` : null
  return (
    <HistoryCard
      changes={listed.slice(0, shown)}
      states={states}
      earlier={listed.length > shown}
      audit={audit}
    />
  )
}

/** The card shows what the service says of an endpoint, and what arrived here. */
function EndpointFacts({ endpoint }: { readonly endpoint: EndpointView }) {
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
function EndpointEvents({ events }: { readonly events: readonly string[] | null }) {
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
