import type { Metadata } from 'next'
import type { ReactElement } from 'react'
import { RowKeys } from '#components/browser/row-keys.tsx'
import type { MendActions } from '#components/endpoints/endpoint-actions.ts'
import { RefreshEvery } from '#components/live/refresh-every.tsx'
import { ServiceAnswer } from '#components/service-answer.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { type KnownEndpointStatus, parseEndpointStatus } from '#lib/domain/receiver/endpoint-status.ts'
import { listEndpoints } from '#lib/endpoints/list-endpoints.ts'
import { readKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { listGaps } from '#lib/gaps/list-gaps.ts'
import type { Caller } from '#lib/request/caller.ts'
import { onRefusal, Refused } from '#lib/request/refusals.ts'
import {
  checkPublicAddressAction,
  finishReplacementAction,
  repairEndpointAction,
  rotateSecretAction,
  setStatusAction,
} from './actions.ts'
import { EndpointsShown } from './endpoints-shown.tsx'
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
  return <ServiceAnswer render={() => renderEndpoints(caller, status)} standIn={<EndpointsSkeleton />} />
}

async function renderEndpoints(caller: Caller, status: KnownEndpointStatus | null): Promise<ReactElement> {
  const mayManage = may(caller.role, 'manage-endpoints')
  const [answer, keyFaults, gaps] = await Promise.all([
    listEndpoints(caller).catch(onRefusal(Refused, (refusal) => refusal)),
    readKeyFaults(caller),
    listGaps(caller, { kind: 'auto-disabled', lasting: true, limit: 200 }),
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
      <EndpointsShown
        answer={answer}
        keyFaults={keyFaults}
        gaps={gaps.rows}
        status={status}
        actions={mayManage ? actions : null}
      />
      {/* The last delivery and refused deliveries move; the service is asked along with them. */}
      <RefreshEvery seconds={30} />
    </>
  )
}

const actions: MendActions = {
  setStatus: setStatusAction,
  rotate: rotateSecretAction,
  repair: repairEndpointAction,
  finish: finishReplacementAction,
  check: checkPublicAddressAction,
}

const countLabel = (ours: number) =>
  ours === 0
    ? 'None of them leads to this dashboard.'
    : ours === 1
      ? 'One of them leads to this dashboard.'
      : `${ours} of them lead to this dashboard.`
