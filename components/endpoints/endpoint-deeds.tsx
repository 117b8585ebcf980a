'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/domain/action-state.ts'
import type { ChangedEndpoint } from '#lib/endpoints/change-endpoint.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { ChangeEndpoint } from './change-endpoint-form.tsx'
import { DeedDialog } from './deed-dialog.tsx'
import { endpointName } from './endpoint-words.ts'
import { SigningSecret } from './signing-secret.tsx'

export interface EndpointActions {
  readonly change: Action<ChangedEndpoint>
  readonly setStatus: Action<{ readonly endpointUuid: string; readonly status: string }>
  readonly rotate: Action<{ readonly endpointUuid: string; readonly signingSecret: string | null }>
  readonly takeOver: Action<{ readonly endpointUuid: string }>
  readonly remove: Action<{ readonly endpointUuid: string }>
}

/** What an admin can do to an endpoint; every button says in its dialog what will follow. */
export function EndpointDeeds({
  endpoint,
  actions,
  sandbox,
}: {
  readonly endpoint: EndpointView
  readonly actions: EndpointActions
  readonly sandbox: boolean
}) {
  const router = useRouter()
  const show = () => router.refresh()
  const name = endpointName(endpoint)
  const fields = { endpointUuid: endpoint.uuid }
  const active = endpoint.status === 'active'
  return (
    <>
      <ChangeEndpoint endpoint={endpoint} change={actions.change} sandbox={sandbox} onDone={show} />
      <DeedDialog
        label="Rotate secret"
        title={`Rotate the secret of “${name}”?`}
        consequences={
          endpoint.ours
            ? 'The service makes a new secret and this dashboard takes it over by itself; the old one stops being valid. Deliveries that arrive meanwhile are asked to come again.'
            : 'The old secret stops being valid at once: until the new one is deployed there, its receiver will refuse deliveries. The new one is shown once.'
        }
        action={actions.rotate}
        fields={fields}
        onDone={show}
        result={({ signingSecret }) => ({
          title: 'Rotated',
          body:
            signingSecret === null ? (
              'This dashboard has the new secret and checks deliveries with it. There is nothing to copy.'
            ) : (
              <SigningSecret secret={signingSecret} name={name} />
            ),
        })}
      />
      {active ? (
        <DeedDialog
          label="Disable"
          title={`Disable “${name}”?`}
          consequences={
            endpoint.ours
              ? 'The service stops delivering here until it is set to active again: what happens meanwhile may be missing from the timeline.'
              : 'The service stops delivering to it until it is set to active again.'
          }
          action={actions.setStatus}
          fields={{ ...fields, status: 'disabled' }}
          onDone={show}
        />
      ) : (
        <DeedDialog
          label="Activate"
          variant="primary"
          title={`Activate “${name}”?`}
          consequences="The service delivers to it again, from now on. What happened meanwhile may be missing."
          action={actions.setStatus}
          fields={{ ...fields, status: 'active' }}
          onDone={show}
        />
      )}
      <DeedDialog
        label="Delete"
        variant="danger"
        title={`Delete “${name}”?`}
        consequences={
          <>
            The service forgets <span className="mono break-all">{endpoint.url}</span> and delivers nothing to
            it any more. This cannot be undone; events that have arrived stay.
          </>
        }
        action={actions.remove}
        fields={fields}
        confirm={name}
        onDone={() => router.push('/endpoints')}
      />
    </>
  )
}

/** The one click that makes an endpoint's deliveries checkable here again. */
export function TakeOver({
  endpoint,
  takeOver,
}: {
  readonly endpoint: EndpointView
  readonly takeOver: EndpointActions['takeOver']
}) {
  const router = useRouter()
  return (
    <DeedDialog
      label="Take over"
      variant="primary"
      title={`Take over “${endpointName(endpoint)}”?`}
      consequences="Its secret is rotated and the new one kept here, so that its deliveries can be checked. The old secret stops being valid."
      action={takeOver}
      fields={{ endpointUuid: endpoint.uuid }}
      reason={false}
      onDone={() => router.refresh()}
    />
  )
}
