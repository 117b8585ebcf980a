'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Field } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { openMade } from '#components/ui/form/leave-guard.ts'
import { ReasonField } from '#components/ui/form/reason-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Textarea } from '#components/ui/input.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import type { CreatedEndpointSecret } from '#lib/endpoints/create-endpoint.ts'
import type { PublicAddressCheck } from '#lib/endpoints/public-address-check.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { type AddressChoice, AddressField } from './address-field.tsx'
import { SigningSecret } from './endpoint-secret.tsx'
import { EventsField } from './events-field.tsx'

/** A description has at most this many characters (§2.3). */
const longestDescription = 255

/** The form makes an endpoint here or elsewhere. The secret of one elsewhere is then shown once. */
export function CreateEndpointForm({
  create,
  check,
  own,
  first,
  sandboxReceiver,
}: {
  readonly create: Action<CreatedEndpointSecret>
  readonly check: Action<PublicAddressCheck>
  readonly own: { readonly receiverId: string; readonly url: string }
  /** `first` is true when no endpoint points here yet. */
  readonly first: boolean
  /** The sandbox’s own receiver has this address; null without a sandbox. */
  readonly sandboxReceiver: string | null
}) {
  const router = useRouter()
  // A new render of the page makes another address, so the form keeps the one that it shows.
  const [{ receiverId, url }] = useState(own)
  const [to, setTo] = useState<AddressChoice>(first ? 'here' : 'elsewhere')
  const [description, setDescription] = useState(first ? 'Rampart (this dashboard)' : '')
  const { state, pending, errorOf, draft, form } = useFormAction(
    create,
    ({ endpointUuid, signingSecret }) => {
      const made = `/endpoints/${endpointUuid}`
      if (signingSecret === null) openMade(made, () => router.push(made))
    },
    {
      draft: 'create',
      done: ({ signingSecret }) => (signingSecret === null ? 'Created: the provider delivers here.' : null),
    },
  )
  if (state.kind === 'done' && state.value.signingSecret !== null) {
    return (
      <Card title="Added" className="max-w-[46rem]" role="status">
        <p className="mono mb-4 break-all text-sm">{state.value.url}</p>
        <SigningSecret secret={state.value.signingSecret} name={description} />
        {state.value.url === sandboxReceiver && (
          <p className="mt-3 text-muted text-sm">
            <a href={sandboxReceiver} target="_blank" rel="noreferrer" className="underline hover:text-text">
              Give it to the sandbox’s receiver
            </a>
            , so that it checks it.
          </p>
        )}
        <div className="mt-4">
          <ButtonLink href={`/endpoints/${state.value.endpointUuid}`}>Go to the endpoint</ButtonLink>
        </div>
      </Card>
    )
  }
  return (
    <form {...form}>
      <Card className="grid max-w-[46rem] gap-6 px-4 py-5 sm:px-6">
        <input type="hidden" name="receiverId" value={receiverId} />
        <AddressField
          start={first ? 'here' : 'elsewhere'}
          own={url}
          check={check}
          sandbox={sandboxReceiver !== null}
          suggested={sandboxReceiver}
          error={errorOf('url') ?? errorOf('receiverId') ?? errorOf('to')}
          onChoose={setTo}
        />
        <Field
          label="Description"
          hint="What it is for. You cannot change it later."
          aside={
            <span className={description.length > longestDescription ? 'num text-fail' : 'num'}>
              {description.length} / {longestDescription}
            </span>
          }
          error={
            errorOf('description') ??
            (description.length > longestDescription
              ? `At most ${longestDescription} characters.`
              : undefined)
          }
        >
          {(control) => (
            <Textarea
              {...control}
              name="description"
              rows={2}
              className="min-h-14!"
              required
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </Field>
        <EventsField chosen={null} here={to === 'here'} error={errorOf('subscribedEvents')} />
        <ReasonField error={errorOf('reason')} />
        <ActionOutcome state={state} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <DraftLine draft={draft} />
          {!pending && <ButtonLink href="/endpoints">Cancel</ButtonLink>}
          <Button type="submit" variant="primary" pending={pending || state.kind === 'done'}>
            {pending ? 'Adding…' : 'Add endpoint'}
          </Button>
        </div>
      </Card>
    </form>
  )
}
