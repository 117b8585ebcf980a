'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Dialog, DialogActions, DialogClose } from '#components/ui/dialog.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { AfterFreshSignIn } from '#components/ui/form/fresh-sign-in.tsx'
import { ReasonField } from '#components/ui/form/reason-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { seenOfEndpoint } from '#lib/deliveries/rules/endpoint-states.ts'
import type { EndpointChangeResult } from '#lib/endpoints/change-endpoint.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import { type AddressChoice, AddressField } from './address-field.tsx'
import type { EndpointActions } from './endpoint-actions.ts'
import { endpointName } from './endpoint-labels.ts'
import { EventsField } from './events-field.tsx'

/**
 * The button changes the address and the event types of an endpoint. The service cannot change a description
 * (§4.2).
 */
export function ChangeEndpointButton({
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
  endpoint: { uuid, url, ours, subscribedEvents },
  actions,
  sandbox,
  onDone,
}: Omit<Parameters<typeof ChangeEndpointButton>[0], 'onDone'> & {
  readonly onDone: (changed: EndpointChangeResult) => void
}) {
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
