'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import type { EndpointActions, MendActions } from './endpoint-actions.ts'
import { endpointName } from './endpoint-labels.ts'
import { RotateSecretButton } from './endpoint-secret.tsx'
import { PublicAddressCheckButton } from './public-address-check-button.tsx'

/**
 * The button makes an endpoint active again. When it delivers here, the dialog first says whether this dashboard
 * can be reached.
 */
export function ActivateEndpointButton({
  endpoint,
  actions,
}: {
  readonly endpoint: EndpointView
  readonly actions: MendActions
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Activate"
      variant="primary"
      title={`Activate “${endpointName(endpoint)}”?`}
      description="It gets deliveries again from now on. Events meanwhile may be missing."
      action={actions.setStatus}
      afterFreshSignIn
      fields={{ endpointUuid: endpoint.uuid, status: 'active' }}
      done={`“${endpointName(endpoint)}” is active again.`}
      onDone={() => router.refresh()}
    >
      {() => endpoint.ours && <PublicAddressCheckButton check={actions.check} />}
    </ConfirmedActionButton>
  )
}

/** One click repairs the secret or the address of an endpoint. Nothing is shown when all is well. */
export function EndpointRepair({
  endpoint,
  actions,
}: {
  readonly endpoint: EndpointView
  readonly actions: MendActions
}) {
  switch (endpoint.repair) {
    case null:
      return null
    case 'not-seen':
      return <RotateSecretButton endpoint={endpoint} rotate={actions.rotate} variant="primary" />
    case 'half-replaced':
      return <FinishReplacement endpoint={endpoint} finish={actions.finish} />
    default:
      return <RepairButton endpoint={endpoint} actions={actions} />
  }
}

/** An admin confirms with this button that a shown secret is deployed. */
export function ConfirmSecret({
  endpoint,
  actions,
}: {
  readonly endpoint: EndpointView
  readonly actions: EndpointActions
}) {
  const router = useRouter()
  if (endpoint.replaces) return <FinishReplacement endpoint={endpoint} finish={actions.finish} />
  return (
    <ConfirmedActionButton
      label="Mark as deployed"
      variant="primary"
      title={`Has the secret of “${endpointName(endpoint)}” been deployed?`}
      description="This page stops asking. The secret cannot be shown again; when it is lost, it can be rotated."
      action={actions.confirm}
      fields={seenSecretOf(endpoint)}
      done="Noted: this page stops asking."
      asksReason={false}
      onDone={() => router.refresh()}
    />
  )
}

/**
 * The form names the endpoint and the secret that the page showed, because somebody else may have rotated it
 * meanwhile.
 */
const seenSecretOf = ({ uuid, shownAt }: EndpointView) => ({
  endpointUuid: uuid,
  ...(shownAt === null ? {} : { seen: shownAt }),
})

function FinishReplacement({
  endpoint,
  finish,
}: {
  readonly endpoint: EndpointView
  readonly finish: EndpointActions['finish']
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="It is deployed"
      variant="primary"
      title="Delete the old endpoint?"
      description={`The secret of “${endpointName(endpoint)}” is deployed. The old endpoint is deleted, and its secret stops working. This cannot be undone.`}
      action={finish}
      afterFreshSignIn
      fields={seenSecretOf(endpoint)}
      done="The old endpoint is deleted, and its secret with it."
      onDone={() => router.refresh()}
    />
  )
}

function RepairButton({
  endpoint,
  actions,
}: {
  readonly endpoint: EndpointView
  readonly actions: MendActions
}) {
  const router = useRouter()
  const moves = endpoint.repair === 'other-address'
  return (
    <ConfirmedActionButton
      label="Repair"
      variant="primary"
      title={`Repair “${endpointName(endpoint)}”?`}
      description={
        moves
          ? 'It is pointed at the present address of this dashboard. Its secret stays if it is known here, and is rotated if not.'
          : 'Its secret is rotated and stored here to check deliveries. The old secret stops working.'
      }
      action={actions.repair}
      afterFreshSignIn
      fields={{ endpointUuid: endpoint.uuid }}
      done={`“${endpointName(endpoint)}” is repaired.`}
      onDone={() => router.refresh()}
    >
      {() => moves && <PublicAddressCheckButton check={actions.check} />}
    </ConfirmedActionButton>
  )
}
