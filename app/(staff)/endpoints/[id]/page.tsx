import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { AlertSlot } from '#components/alerts/alert-slot.tsx'
import { EndpointActionButtons } from '#components/endpoints/endpoint-action-buttons.tsx'
import { endpointAlerts } from '#components/endpoints/endpoint-alerts.tsx'
import { EndpointEvents, EndpointFacts } from '#components/endpoints/endpoint-facts.tsx'
import { endpointName } from '#components/endpoints/endpoint-labels.ts'
import {
  ActivateEndpointButton,
  ConfirmSecret,
  EndpointRepair,
} from '#components/endpoints/endpoint-state-buttons.tsx'
import { RetryButton } from '#components/endpoints/retry-button.tsx'
import { RefusalCallout } from '#components/refusal-callout.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { findEndpoint } from '#lib/endpoints/find-endpoint.ts'
import { env } from '#lib/env.ts'
import type { Caller } from '#lib/request/caller.ts'
import { onRefusal, Refused } from '#lib/request/refusals.ts'
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

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export const metadata: Metadata = { title: 'Endpoint' }

export default async function EndpointPage({ params }: Props) {
  const id = decodeURIComponent((await params).id)
  const caller = await requirePage('see-endpoint-health', `/endpoints/${encodeURIComponent(id)}`)
  return (
    <Suspense fallback={<EndpointsSkeleton />}>
      <OneEndpoint caller={caller} id={id} />
    </Suspense>
  )
}

async function OneEndpoint({ caller, id }: { readonly caller: Caller; readonly id: string }) {
  const endpoint = await findEndpoint(caller, id).catch(onRefusal(Refused, (refusal) => refusal))
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
  const gaps = endpoint.ours ? await readGapsOf(caller, endpoint.uuid) : null
  const alerts = [
    ...endpointAlerts(endpoint, {
      buttons: {
        activate: mayManage && <ActivateEndpointButton endpoint={endpoint} actions={actions} />,
        repair: mayManage && <EndpointRepair endpoint={endpoint} actions={actions} />,
        confirm: mayManage && <ConfirmSecret endpoint={endpoint} actions={actions} />,
      },
      missing: gaps && missingHere(caller, gaps),
      sandboxUrl,
    }),
    ...(gaps ? gapAlertsOf(caller, gaps, endpoint.status === 'active') : []),
  ]
  return (
    <>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            {endpointName(endpoint)}
            {endpoint.ours && <Tag>This dashboard</Tag>}
          </span>
        }
        actions={
          mayManage && (
            <EndpointActionButtons endpoint={endpoint} actions={actions} sandbox={sandboxUrl !== null} />
          )
        }
      >
        {mayManage ? 'Changes take effect at once.' : 'Only admins can change endpoints.'}
      </PageHeader>
      <div className="mt-5 grid gap-4">
        <AlertSlot alerts={alerts} />
        {gaps && <EndpointGaps gaps={gaps.gaps} />}
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <EndpointFacts endpoint={endpoint} />
          <EndpointEvents events={endpoint.subscribedEvents} />
        </div>
      </div>
    </>
  )
}
