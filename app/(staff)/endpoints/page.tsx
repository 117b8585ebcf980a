import type { Metadata } from 'next'
import type { ReactElement } from 'react'
import type { MendActions } from '#components/endpoints/endpoint-actions.ts'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ServiceAnswer } from '#components/ui/shared/service-answer.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { type KnownEndpointStatus, parseEndpointStatus } from '#lib/deliveries/rules/endpoint-states.ts'
import { listEndpoints } from '#lib/endpoints/endpoints.ts'
import { listGaps } from '#lib/endpoints/gaps/gaps.ts'
import { readKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import {
  checkPublicAddressAction,
  finishReplacementAction,
  repairEndpointAction,
  rotateSecretAction,
  setStatusAction,
} from './actions.ts'
import { EndpointsShown, EndpointsSkeleton } from './endpoints-shown.tsx'

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
        Where the provider sends its events.{' '}
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
      {/* The last delivery and refused deliveries change often; each refresh asks the service, too. */}
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
