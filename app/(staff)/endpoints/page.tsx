import { Webhook } from 'lucide-react'
import type { Metadata } from 'next'
import { Suspense } from 'react'
import { AlertSlot } from '#components/alerts/alert-slot.tsx'
import { RowKeys } from '#components/browser/row-keys.tsx'
import { endpointStatusLabel } from '#components/endpoints/endpoint-labels.ts'
import { EndpointsTable } from '#components/endpoints/endpoints-table.tsx'
import { healthAlerts } from '#components/endpoints/health-alerts.tsx'
import { keyAlerts } from '#components/endpoints/key-alerts.tsx'
import { StatusFilter } from '#components/endpoints/status-filter.tsx'
import { RefusalCallout } from '#components/form/refusal-callout.tsx'
import { RefreshEvery } from '#components/live/refresh-every.tsx'
import { RetryButton } from '#components/retry-button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { type KnownEndpointStatus, parseEndpointStatus } from '#lib/domain/receiver/endpoint-status.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { listEndpoints } from '#lib/endpoints/list-endpoints.ts'
import { readKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import type { Caller } from '#lib/request/caller.ts'
import { onRefusal, Refused } from '#lib/request/refusals.ts'
import { EndpointsSkeleton } from './endpoints-skeleton.tsx'

export const metadata: Metadata = { title: 'Endpoints' }

interface Props {
  readonly searchParams: Promise<{ readonly status?: string | string[] }>
}

export default async function EndpointsPage({ searchParams }: Props) {
  const status = parseEndpointStatus((await searchParams).status)
  const caller = await requirePage(
    'see-endpoint-health',
    status ? `/endpoints?status=${status}` : '/endpoints',
  )
  return (
    <Suspense fallback={<EndpointsSkeleton />}>
      <AllEndpoints caller={caller} status={status} />
    </Suspense>
  )
}

async function AllEndpoints({
  caller,
  status,
}: {
  readonly caller: Caller
  readonly status: KnownEndpointStatus | null
}) {
  const mayManage = may(caller.role, 'manage-endpoints')
  const [answer, keyFaults] = await Promise.all([
    listEndpoints(caller).catch(onRefusal(Refused, (refusal) => refusal)),
    readKeyFaults(caller),
  ])
  return (
    <>
      <RowKeys />
      <PageHeader
        title="Webhook endpoints"
        actions={
          mayManage && (
            <ButtonLink variant="primary" href="/endpoints/new">
              Add endpoint
            </ButtonLink>
          )
        }
      >
        Where the service sends its events.{' '}
        {answer instanceof Refused || answer.length === 0
          ? ''
          : countLabel(answer.filter((endpoint) => endpoint.ours).length)}
      </PageHeader>
      <AlertSlot
        className="mt-5"
        alerts={[
          ...keyAlerts(keyFaults),
          ...(answer instanceof Refused || answer.length === 0 ? [] : healthAlerts(answer, mayManage)),
        ]}
      />
      <div className="mt-5 grid gap-4">
        {answer instanceof Refused ? (
          <RefusalCallout refusal={answer} actions={<RetryButton />} />
        ) : (
          <Endpoints endpoints={answer} status={status} mayManage={mayManage} />
        )}
      </div>
      {/* The last delivery and refused deliveries move; the service is asked along with them. */}
      <RefreshEvery seconds={30} />
    </>
  )
}

function Endpoints({
  endpoints,
  status,
  mayManage,
}: {
  readonly endpoints: readonly EndpointView[]
  readonly status: KnownEndpointStatus | null
  readonly mayManage: boolean
}) {
  const shown = status ? endpoints.filter((endpoint) => endpoint.status === status) : endpoints
  if (endpoints.length === 0) return <NoEndpoints mayManage={mayManage} />
  return (
    <>
      <StatusFilter endpoints={endpoints} chosen={status} />
      <Card>
        {shown.length > 0 ? (
          <EndpointsTable endpoints={shown} />
        ) : (
          <EmptyState
            title={`No endpoint is ${status ? endpointStatusLabel(status).label.toLowerCase() : 'here'}`}
            action={<ButtonLink href="/endpoints">Show all</ButtonLink>}
          />
        )}
      </Card>
      <p className="text-muted text-sm">
        {shown.some((endpoint) => !endpoint.ours) &&
          '“Not seen here”: the service delivers to these directly, so this dashboard knows their state but not their deliveries. '}
        {!mayManage && 'Only admins can add and change endpoints.'}
      </p>
    </>
  )
}

function NoEndpoints({ mayManage }: { readonly mayManage: boolean }) {
  return (
    <Card>
      <EmptyState
        icon={Webhook}
        title="The service delivers nowhere yet"
        action={
          mayManage && (
            <ButtonLink variant="primary" href="/endpoints/new">
              Add this dashboard
            </ButtonLink>
          )
        }
      >
        With an endpoint that points here, every event of the service appears on the timeline as it happens.
        {!mayManage && ' Only admins can add one.'}
      </EmptyState>
    </Card>
  )
}

const countLabel = (ours: number) =>
  ours === 0
    ? 'None of them leads to this dashboard.'
    : ours === 1
      ? 'One of them leads to this dashboard.'
      : `${ours} of them lead to this dashboard.`
