'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Dialog, DialogActions, DialogClose } from '#components/ui/dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { AfterFreshSignIn } from '#components/ui/form/fresh-sign-in.tsx'
import { openMade } from '#components/ui/form/leave-guard.ts'
import { ReasonField } from '#components/ui/form/reason-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Link } from '#components/ui/link.tsx'
import { seenOfEndpoint } from '#lib/deliveries/rules/endpoint-states.ts'
import type { EndpointChangeResult } from '#lib/endpoints/change-endpoint.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import { type AddressChoice, AddressField } from './address-field.tsx'
import type { EndpointActions } from './endpoint-actions.ts'
import { endpointName } from './endpoint-labels.ts'
import { RotateSecretButton, SigningSecret } from './endpoint-secret.tsx'
import { ActivateEndpointButton } from './endpoint-state-buttons.tsx'
import { EventsField } from './events-field.tsx'
import type { HereWithout } from './missing-types.tsx'

/** An admin has these buttons for an endpoint. The dialog of each says what will follow. */
export function EndpointActionButtons({
  endpoint,
  actions,
  sandbox,
  without,
}: {
  readonly endpoint: EndpointView
  readonly actions: EndpointActions
  readonly sandbox: boolean
  /** `without` says what this dashboard loses when the endpoint is gone or off. */
  readonly without: HereWithout
}) {
  const router = useRouter()
  const show = () => router.refresh()
  const name = endpointName(endpoint)
  const fields = { endpointUuid: endpoint.uuid }
  return (
    <>
      {endpoint.status !== 'active' && <ActivateEndpointButton endpoint={endpoint} actions={actions} />}
      <ChangeEndpointButton endpoint={endpoint} actions={actions} sandbox={sandbox} onDone={show} />
      {replaceable(endpoint) && (
        <ReplaceEndpointButton
          endpoint={endpoint}
          replace={actions.replace}
          sandbox={sandbox}
          onDone={show}
        />
      )}
      <RotateSecretButton endpoint={endpoint} rotate={actions.rotate} />
      {endpoint.status === 'active' && (
        <ConfirmedActionButton
          label="Disable"
          {...(without.grave ? { variant: 'danger' } : {})}
          title={`Disable “${name}”?`}
          description={
            endpoint.ours ? (
              <>
                It gets no deliveries until it is activated again. Events meanwhile may be missing from the
                timeline. <Without without={without} />
              </>
            ) : (
              'It gets no deliveries until it is activated again.'
            )
          }
          action={actions.setStatus}
          afterFreshSignIn
          fields={{ ...fields, status: 'disabled' }}
          done={`“${name}” is disabled.`}
          onDone={show}
        />
      )}
      <ConfirmedActionButton
        label="Delete"
        variant="danger"
        title={`Delete “${name}”?`}
        description={
          <>
            The provider deletes <span className="mono break-all">{endpoint.url}</span> for good. This cannot
            be undone. Received events stay. <Without without={without} />
          </>
        }
        action={actions.remove}
        afterFreshSignIn
        fields={fields}
        done="Deleted: it gets no more deliveries."
        typeToConfirm={name}
        onDone={() => openMade('/endpoints', () => router.push('/endpoints'))}
      />
    </>
  )
}

/** Every dialog shows this dashboard's loss in the same way. */
const Without = ({ without: { grave, sentence } }: { readonly without: HereWithout }) =>
  grave ? <b className="mt-2 block font-title text-fail">{sentence}</b> : sentence

const replaceable = ({ ours, status, replacedBy, replaces, repair }: EndpointView) =>
  !ours && status === 'active' && replacedBy === null && replaces === null && repair === null

/** The second endpoint has its own secret. Both deliver until the new secret is deployed. */
function ReplaceEndpointButton({
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
    <ConfirmedActionButton
      label="Replace"
      title={`Replace “${name}” with overlap?`}
      description="A second endpoint is created, and its secret is shown once. Both deliver, so every event comes twice and none is missed. Confirm once the new secret is deployed; then the old endpoint is deleted."
      action={replace}
      afterFreshSignIn
      fields={{ endpointUuid: endpoint.uuid }}
      done={null}
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
    </ConfirmedActionButton>
  )
}

/**
 * The button changes the address and the event types of an endpoint. The service cannot change a description
 * (§4.2).
 */
function ChangeEndpointButton({
  endpoint,
  actions,
  sandbox,
  onDone,
}: {
  readonly endpoint: EndpointView
  readonly actions: EndpointActions
  readonly sandbox: boolean
  readonly onDone: () => void
}) {
  const [open, setOpen] = useState(false)
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      width="lg"
      trigger={<Button>Change…</Button>}
      title={`Change “${endpointName(endpoint)}”`}
      description="Its description cannot be changed."
    >
      <AfterFreshSignIn>
        <ChangeEndpointForm
          endpoint={endpoint}
          actions={actions}
          sandbox={sandbox}
          onDone={(changed) => {
            if (!changed.secretUnknown) setOpen(false)
            onDone()
          }}
        />
      </AfterFreshSignIn>
    </Dialog>
  )
}

function ChangeEndpointForm({
  endpoint,
  actions,
  sandbox,
  onDone,
}: Omit<Parameters<typeof ChangeEndpointButton>[0], 'onDone'> & {
  readonly onDone: (changed: EndpointChangeResult) => void
}) {
  // The form stays as it opened: the reader has not read what a refreshed page knows.
  const [{ uuid, url, ours, subscribedEvents }] = useState(endpoint)
  const [to, setTo] = useState<AddressChoice>('same')
  const { state, pending, errorOf, draft, form } = useFormAction(actions.change, onDone, {
    draft: 'change',
    done: ({ secretUnknown }) => (secretUnknown ? null : 'Changed: deliveries follow this from now on.'),
  })
  if (state.kind === 'done' && state.value.secretUnknown) {
    return (
      <>
        <Callout kind="warning" title="Changed. Its new place needs a secret.">
          Only a rotation shows one: choose “Rotate secret…” next, and deploy what it shows.
        </Callout>
        <DialogActions>
          <DialogClose>Close</DialogClose>
        </DialogActions>
      </>
    )
  }
  return (
    <form {...form} className="flex flex-col gap-5">
      <input type="hidden" name="endpointUuid" value={uuid} />
      <input type="hidden" name="seen" value={seenOfEndpoint({ url, subscribedEvents })} />
      <AddressField
        start="same"
        same={url}
        own={null}
        check={actions.check}
        sandbox={sandbox}
        error={errorOf('url') ?? errorOf('to')}
        onChoose={setTo}
      />
      {ours && to === 'elsewhere' && (
        <p className="-mt-3 text-muted text-sm">
          Its deliveries are no longer seen here, and its present address is closed.
        </p>
      )}
      <EventsField
        chosen={subscribedEvents}
        offerAll={subscribedEvents === null}
        here={to === 'here' || (to === 'same' && ours)}
        error={errorOf('subscribedEvents')}
      />
      <ReasonField error={errorOf('reason')} />
      <ActionOutcome state={state} />
      <DialogActions>
        <DraftLine draft={draft} />
        <DialogClose>Cancel</DialogClose>
        <Button type="submit" variant="primary" pending={pending}>
          {pending ? 'Changing…' : 'Change'}
        </Button>
      </DialogActions>
    </form>
  )
}
