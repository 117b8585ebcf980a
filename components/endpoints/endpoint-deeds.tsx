'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import type { Action } from '#lib/domain/action-state.ts'
import type { ChangedEndpoint } from '#lib/endpoints/change-endpoint.ts'
import type { CreatedEndpoint } from '#lib/endpoints/create-elsewhere.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { TextField } from '../ui/field.tsx'
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
  readonly replace: Action<CreatedEndpoint>
  readonly finish: Action<{ readonly endpointUuid: string }>
  readonly confirm: Action<{ readonly endpointUuid: string }>
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
      {replaceable(endpoint) && (
        <ReplaceEndpoint endpoint={endpoint} replace={actions.replace} sandbox={sandbox} onDone={show} />
      )}
      <RotateSecret endpoint={endpoint} rotate={actions.rotate} />
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

const replaceable = ({ ours, status, replacedBy, replaces, repair }: EndpointView) =>
  !ours && status === 'active' && replacedBy === null && replaces === null && repair === null

/** Replaces the secret; that of an endpoint elsewhere is shown once. */
function RotateSecret({
  endpoint,
  rotate,
  variant = 'secondary',
}: {
  readonly endpoint: EndpointView
  readonly rotate: EndpointActions['rotate']
  readonly variant?: 'primary' | 'secondary'
}) {
  const router = useRouter()
  const name = endpointName(endpoint)
  return (
    <DeedDialog
      label="Rotate secret"
      variant={variant}
      title={`Rotate the secret of “${name}”?`}
      consequences={
        endpoint.ours
          ? 'The service makes a new secret and this dashboard takes it over by itself; the old one stops being valid. Deliveries that arrive meanwhile are asked to come again.'
          : 'The old secret stops being valid at once: until the new one is deployed there, its receiver will refuse deliveries. The new one is shown once.'
      }
      action={rotate}
      fields={{ endpointUuid: endpoint.uuid }}
      onDone={() => router.refresh()}
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
  )
}

/** The one click that repairs what is wrong with an endpoint's secret or address; nothing when all is well. */
export function Repair({
  endpoint,
  actions,
}: {
  readonly endpoint: EndpointView
  readonly actions: EndpointActions
}) {
  switch (endpoint.repair) {
    case null:
      return null
    case 'not-seen':
      return <RotateSecret endpoint={endpoint} rotate={actions.rotate} variant="primary" />
    case 'half-replaced':
      return <FinishReplacement endpoint={endpoint} finish={actions.finish} />
    default:
      return <TakeOver endpoint={endpoint} takeOver={actions.takeOver} />
  }
}

/** The one click that says that a secret which was shown is where it belongs. */
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
    <DeedDialog
      label="It is stored"
      variant="primary"
      title={`Is the secret of “${endpointName(endpoint)}” stored?`}
      consequences="This page stops asking. The secret cannot be shown again; when it is lost, it can be rotated."
      action={actions.confirm}
      fields={{ endpointUuid: endpoint.uuid }}
      reason={false}
      onDone={() => router.refresh()}
    />
  )
}

/** A second endpoint with a secret of its own; both deliver until the new secret is deployed. */
function ReplaceEndpoint({
  endpoint,
  replace,
  sandbox,
  onDone,
}: {
  readonly endpoint: EndpointView
  readonly replace: EndpointActions['replace']
  readonly sandbox: boolean
  readonly onDone: () => void
}) {
  const name = endpointName(endpoint)
  return (
    <DeedDialog
      label="Replace"
      title={`Replace “${name}” with overlap?`}
      consequences="The service makes a second endpoint with a secret of its own, which is shown once. Both deliver, so that nothing is missed, and every event comes twice. Once the new secret is deployed, you confirm it, and the old endpoint is deleted."
      action={replace}
      fields={{ endpointUuid: endpoint.uuid }}
      onDone={onDone}
      result={({ endpointUuid, signingSecret }) => ({
        title: 'The second endpoint was made',
        body: (
          <div className="grid gap-3">
            <SigningSecret secret={signingSecret ?? ''} name={name} />
            <span>
              Deploy it, then confirm that on{' '}
              <Link href={`/endpoints/${endpointUuid}`} className="underline hover:text-text">
                the page of the second endpoint
              </Link>
              .
            </span>
          </div>
        ),
      })}
    >
      {(errorOf) => (
        <TextField
          label="Address of the second endpoint"
          hint={`The same, or another: https://${sandbox ? ', or http:// on this machine' : ''}.`}
          error={errorOf('url')}
          name="url"
          defaultValue={endpoint.url}
          spellCheck={false}
        />
      )}
    </DeedDialog>
  )
}

function FinishReplacement({
  endpoint,
  finish,
}: {
  readonly endpoint: EndpointView
  readonly finish: EndpointActions['finish']
}) {
  const router = useRouter()
  return (
    <DeedDialog
      label="It is deployed"
      variant="primary"
      title="Delete the old endpoint?"
      consequences={`The secret of “${endpointName(endpoint)}” is deployed: the endpoint that it replaces is deleted, and its secret stops being valid. This cannot be undone.`}
      action={finish}
      fields={{ endpointUuid: endpoint.uuid }}
      onDone={() => router.refresh()}
    />
  )
}

function TakeOver({
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
