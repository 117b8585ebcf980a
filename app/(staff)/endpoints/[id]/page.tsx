import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { AlertSlot } from '#components/alerts/alert-slot.tsx'
import { RowKeys } from '#components/browser/row-keys.tsx'
import { EndpointActionButtons } from '#components/endpoints/endpoint-action-buttons.tsx'
import { endpointAlerts } from '#components/endpoints/endpoint-alerts.tsx'
import { EndpointEvents, EndpointFacts } from '#components/endpoints/endpoint-facts.tsx'
import { endpointName } from '#components/endpoints/endpoint-labels.ts'
import {
  ActivateEndpointButton,
  ConfirmSecret,
  EndpointRepair,
} from '#components/endpoints/endpoint-state-buttons.tsx'
import { hereWithout } from '#components/endpoints/here-without.ts'
import { missedAlerts, missedSoFar } from '#components/endpoints/missed-events.tsx'
import { missingTypes } from '#components/endpoints/missing-types.ts'
import { missingTypesAlerts } from '#components/endpoints/missing-types-callout.tsx'
import { RequestsElsewhere } from '#components/endpoints/requests-card.tsx'
import { TwinTag } from '#components/endpoints/twin-tag.tsx'
import { RefusalCallout } from '#components/form/refusal-callout.tsx'
import { RetryButton } from '#components/retry-button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { findEndpoint } from '#lib/endpoints/find-endpoint.ts'
import { listEndpoints } from '#lib/endpoints/list-endpoints.ts'
import { type RequestFilters, RequestFiltersSchema } from '#lib/endpoints/list-requests.ts'
import { env } from '#lib/env.ts'
import type { Caller } from '#lib/request/caller.ts'
import { onRefusal, Refused } from '#lib/request/refusals.ts'
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
import { EndpointsSkeleton } from '../endpoints-skeleton.tsx'
import { EndpointGaps, gapAlertsOf, missingHere, readGapsOf } from './endpoint-gaps.tsx'
import { EndpointHistory } from './endpoint-history.tsx'
import { EndpointRequests } from './endpoint-requests.tsx'
import { readMissedEvents } from './read-missed-events.ts'

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
  return (
    <Suspense fallback={<EndpointsSkeleton />}>
      <OneEndpoint caller={caller} id={id} filters={filters} />
    </Suspense>
  )
}

async function OneEndpoint({
  caller,
  id,
  filters,
}: {
  readonly caller: Caller
  readonly id: string
  readonly filters: RequestFilters
}) {
  const [endpoint, all] = await Promise.all([
    findEndpoint(caller, id).catch(onRefusal(Refused, (refusal) => refusal)),
    // Only says what else delivers here: without it the page shows the rest.
    listEndpoints(caller).catch(onRefusal(Refused, () => null)),
  ])
  if (endpoint === null) notFound()
  if (endpoint instanceof Refused) {
    return (
      <>
        <PageHeader title="Endpoint" actions={<ButtonLink href="/endpoints">All endpoints</ButtonLink>} />
        <RefusalCallout refusal={endpoint} className="mt-5" actions={<RetryButton />} />
      </>
    )
  }
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
  const sandboxUrl = env().sandboxUrl?.href ?? null
  const [gaps, missed] = await Promise.all([
    endpoint.ours ? readGapsOf(caller, endpoint.uuid) : null,
    readMissedEvents(caller, endpoint),
  ])
  const alerts = [
    ...endpointAlerts(endpoint, {
      buttons: {
        activate: mayManage && <ActivateEndpointButton endpoint={endpoint} actions={actions} />,
        repair: mayManage && <EndpointRepair endpoint={endpoint} actions={actions} />,
        confirm: mayManage && <ConfirmSecret endpoint={endpoint} actions={actions} />,
      },
      missing: gaps ? missingHere(caller, gaps) : missedSoFar(missed),
      sandboxUrl,
    }),
    ...(gaps ? gapAlertsOf(caller, gaps, endpoint.status === 'active') : []),
    ...missedAlerts(missed),
    ...(endpoint.ours ? missingTypesAlerts(missingTypes(all ?? [])) : []),
  ]
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
              sandbox={sandboxUrl !== null}
              without={hereWithout(endpoint, all)}
            />
          )
        }
      >
        {mayManage ? 'Changes take effect at once.' : 'Only admins can change endpoints.'}
      </PageHeader>
      <div className="mt-5 grid gap-4">
        <AlertSlot alerts={alerts} />
        {gaps && <EndpointGaps gaps={gaps.gaps} />}
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
