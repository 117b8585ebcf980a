'use client'

import { useRouter } from 'next/navigation'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { Field, FieldError, TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine, useDraft } from '#components/ui/form/draft.tsx'
import { openMade } from '#components/ui/form/leave-guard.ts'
import { ReasonField } from '#components/ui/form/reason-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Checkbox, Select } from '#components/ui/input.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { FilterSelect } from '#components/ui/list/filter-bar.tsx'
import type { ListFilter } from '#components/ui/list/filter-chips.tsx'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import type { Source } from '#lib/endpoints/replays/new-replay.ts'
import type { ReplayFilter } from '#lib/endpoints/replays/replay-forms.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { replayFilterLabels, typesLabel } from './replay-labels.tsx'
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

const FilterChanged = createContext<readonly [boolean, (isChanged: boolean) => void]>([false, () => {}])

/** Nothing is sent while the filter shows something else than its last preview. */
export const PreviewedFilter = ({ children }: { readonly children: ReactNode }) => (
  <FilterChanged value={useState(false)}>{children}</FilterChanged>
)

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
  const [isFilterChanged] = useContext(FilterChanged)
  const [kind, setKind] = useState<(typeof kinds)[number]['kind']>('post')
  const { state, pending, errorOf, draft, form } = useFormAction(
    start,
    ({ replayId }) => {
      const made = `/replays/${replayId}`
      openMade(made, () => router.push(made))
    },
    {
      // Another preview keeps what was typed, for the same endpoint alone.
      draft: `start ${destination?.uuid ?? ''}`,
      anyQuery: true,
      done: 'The replay is under way.',
    },
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
          <p role="status" className="text-sm empty:hidden">
            {isFilterChanged && 'Preview first: the filter was changed.'}
          </p>
          <ButtonLink href="/replays">Cancel</ButtonLink>
          <Button
            type="submit"
            variant="primary"
            pending={pending || state.kind === 'done'}
            disabled={isFilterChanged}
          >
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

/** The filter of a replay is in the address, so that a link keeps it. */
export function FilterFields({
  given,
  filter,
  errors,
  sources,
  sendTo,
}: {
  /** `given` is the filter as the address has it. */
  readonly given: Readonly<Record<string, string | undefined>>
  /** `filter` is the same as read; it is empty when any part could not be read. */
  readonly filter: ReplayFilter
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly sources: readonly Source[]
  /** `sendTo` is the endpoint that the deliveries are for, if one was chosen before. */
  readonly sendTo: string | null
}) {
  // The parts are those given, so that a form with an error asks for no more than was asked for.
  const { event, delivery, failedIn, first } = given
  const unasked = { event, delivery, failedIn, first }
  const hidden = Object.entries(unasked).filter(([, value]) => value !== undefined)
  const moment = { type: 'datetime-local', step: 1 } as const
  const form = useRef<HTMLFormElement>(null)
  const draft = useDraft(form, 'filter')
  const [, setChanged] = useContext(FilterChanged)
  const compare = useCallback(() => setChanged(isChanged(form.current)), [setChanged])
  // The browser may have filled the form again, as when the reader comes back.
  useEffect(compare, [compare])
  return (
    <form action="/replays/new" ref={form} onChange={compare} onSubmit={draft.end}>
      <Card title="Which deliveries" className="max-w-[46rem]">
        {hidden.length > 0 && <p className="mb-4 text-sm">Only {replayFilterLabels(unasked).join(', ')}.</p>}
        {sendTo && <input type="hidden" name="send" value={sendTo} />}
        {hidden.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {[...new Set(hidden.flatMap(([name]) => ownValue(errors, name) ?? []))].map((error) => (
          <FieldError key={error} className="mb-4">
            {error}
          </FieldError>
        ))}
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,15rem),1fr))] gap-4">
          <TextField
            label="Received from (UTC)"
            name="from"
            {...moment}
            defaultValue={local(filter.from ?? given.from)}
            error={errors.from}
          />
          <TextField
            label="Received before (UTC)"
            name="to"
            {...moment}
            defaultValue={local(filter.to ?? given.to)}
            error={errors.to}
          />
          {selects(given, sources).map((filter) => (
            <FilterSelect key={filter.name} filter={filter} error={ownValue(errors, filter.name)} />
          ))}
          {texts.map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              name={name}
              mono
              autoComplete="off"
              spellCheck={false}
              defaultValue={ownValue(given, name) ?? ''}
              error={ownValue(errors, name)}
            />
          ))}
        </div>
        <div className="mt-4">
          <Checkbox
            name="once"
            value="yes"
            defaultChecked={given.once === 'yes'}
            label="Skip duplicates"
            hint="Sends each event once, by its first delivery that matches."
          />
        </div>
        <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
          <DraftLine draft={draft} />
          <Button type="submit">Preview</Button>
        </div>
      </Card>
    </form>
  )
}

/** The form would send something else than it was drawn with. */
function isChanged(form: HTMLFormElement | null): boolean {
  const drawn = form?.cloneNode(true)
  if (!form || !(drawn instanceof HTMLFormElement)) return false
  drawn.reset()
  return textOf(drawn) !== textOf(form)
}

const textOf = (form: HTMLFormElement) => JSON.stringify([...new FormData(form)])

/** The address may choose a value that is not in the list. */
const selects = (
  { type, endpoint }: Readonly<Record<string, string | undefined>>,
  sources: readonly Source[],
): readonly ListFilter[] => [
  {
    name: 'type',
    label: 'Type',
    none: 'Every type',
    value: type ?? null,
    choices: eventTypes.map((each) => [each, eventTypeLabels[each].label]),
    text: typesLabel(type ?? ''),
  },
  {
    name: 'endpoint',
    label: 'Endpoint',
    none: 'Every endpoint',
    value: endpoint ?? null,
    choices: sources.map(({ uuid, name }) => [
      uuid,
      `${name ?? 'Not listed by the provider'} (${shortId(uuid)})`,
    ]),
    text: typesLabel(endpoint ?? ''),
  },
]

const texts = [
  ['step', 'Status'],
  ['user', 'User (e-mail or ID) or company (ID)'],
  ['transaction', 'Transaction (ID)'],
] as const

/** The browser's own field writes a moment like this. */
const local = (moment: string | undefined) => moment?.trim().slice(0, 19).replace('Z', '') ?? ''
