'use client'

import { useRouter } from 'next/navigation'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import type { EndpointActions } from './endpoint-actions.ts'
import { endpointName } from './endpoint-labels.ts'
import { PublicAddressCheckButton } from './public-address-check-button.tsx'

/** Has the service deliver to it again; for one that delivers here, says first whether this dashboard can be reached. */
export function ActivateEndpointButton({
  endpoint,
  actions,
}: {
  readonly endpoint: EndpointView
  readonly actions: EndpointActions
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Activate"
      variant="primary"
      title={`Activate “${endpointName(endpoint)}”?`}
      description="The service delivers to it again, from now on. What happened meanwhile may be missing."
      action={actions.setStatus}
      fields={{ endpointUuid: endpoint.uuid, status: 'active' }}
      onDone={() => router.refresh()}
    >
      {() => endpoint.ours && <PublicAddressCheckButton check={actions.check} />}
    </ConfirmedActionButton>
  )
}
