'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { Field, TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { openMade } from '#components/ui/form/open-page.ts'
import { ReasonField } from '#components/ui/form/reason-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Select } from '#components/ui/select.tsx'
import type { ReplayFilter } from '#lib/endpoints/replays/replay-forms.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { SecretField } from './secret-field.tsx'

/** The merchant has this endpoint, which delivers to this address. */
interface Destination {
  readonly uuid: string
  readonly name: string
  readonly url: string
}

const kinds = [
  {
    kind: 'post',
    label: 'To an address',
    meaning: 'Posted with their original bodies, one after the other, in order of arrival.',
  },
  {
    kind: 'fold',
    label: 'Into this dashboard',
    meaning: 'The timeline is rebuilt from them. Unreadable deliveries are retried.',
  },
] as const

/** The form asks where the chosen deliveries are sent, and why. */
export function StartReplayForm({
  start,
  filter,
  count,
  sandbox,
  destination,
}: {
  readonly start: Action<{ readonly replayId: string }>
  readonly filter: ReplayFilter
  readonly count: number
  readonly sandbox: boolean
  /** `destination` is the endpoint that the deliveries are for, if one was chosen before. */
  readonly destination: Destination | null
}) {
  const router = useRouter()
  const [kind, setKind] = useState<(typeof kinds)[number]['kind']>('post')
  const { state, pending, errorOf, draft, form } = useFormAction(
    start,
    ({ replayId }) => {
      const made = `/replays/${replayId}`
      openMade(made, () => router.push(made))
    },
    { draft: 'start', done: 'The replay is under way.' },
  )
  return (
    <form {...form}>
      <Card
        title={destination ? `Send them to “${destination.name}”` : 'Send them'}
        className="grid max-w-[46rem] gap-5"
      >
        {Object.entries(filter).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 font-label text-sm">Where to</legend>
          {kinds.map((choice) => (
            <label key={choice.kind} className="flex gap-2.5 text-sm pointer-coarse:min-h-10">
              <input
                type="radio"
                name="kind"
                value={choice.kind}
                checked={kind === choice.kind}
                onChange={() => setKind(choice.kind)}
                className="mt-[0.1875rem] size-4 shrink-0 self-start accent-ink"
              />
              <span>
                <span className="font-label">{choice.label}</span>
                <span className="block text-muted">{choice.meaning}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {kind === 'post' && <PostFields errorOf={errorOf} sandbox={sandbox} destination={destination} />}
        <ReasonField error={errorOf('reason')} />
        <ActionOutcome state={state} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <DraftLine draft={draft} />
          <ButtonLink href="/replays">Cancel</ButtonLink>
          <Button type="submit" variant="primary" pending={pending || state.kind === 'done'}>
            {count === 1 ? 'Send it again' : `Send all ${count.toLocaleString('en')} again`}
          </Button>
        </div>
      </Card>
    </form>
  )
}

function PostFields({
  errorOf,
  sandbox,
  destination,
}: {
  readonly errorOf: (field: string) => string | undefined
  readonly sandbox: boolean
  readonly destination: Destination | null
}) {
  return (
    <>
      <Callout kind="warning" title="The receiver will see repetitions">
        The receiver may have had these before, and deliveries carry neither ID nor time. After an
        interruption, the last few may be sent twice. Bodies contain personal data.
      </Callout>
      <TextField
        label="Address"
        name="address"
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://"
        defaultValue={destination?.url}
        required
        hint={`HTTPS, on the open internet: internal networks are refused and redirects are not followed.${
          sandbox ? ' With the sandbox, http://localhost will do, for trying it out.' : ''
        }`}
        error={errorOf('address')}
      />
      <SecretField endpointUuid={destination?.uuid ?? null} error={errorOf('secret')} />
      <Field label="Pace" error={errorOf('pace')}>
        {(control) => (
          <Select {...control} name="pace" defaultValue="5">
            <option value="1">At most 1 a second</option>
            <option value="5">At most 5 a second</option>
            <option value="20">At most 20 a second</option>
            <option value="50">At most 50 a second</option>
          </Select>
        )}
      </Field>
    </>
  )
}
