'use client'

import { useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Checkbox } from '#components/ui/checkbox.tsx'
import { TextField } from '#components/ui/field.tsx'
import { DraftLine, useDraft } from '#components/ui/form/draft.tsx'
import type { ListFilter } from '#components/ui/list/filter-chips.tsx'
import { FilterSelect } from '#components/ui/list/filter-select.tsx'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import type { Source } from '#lib/endpoints/replays/new-replay.ts'
import type { ReplayFilter } from '#lib/endpoints/replays/replay-forms.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { replayFilterLabels, typesLabel } from './replay-labels.ts'

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
  /** `filter` is what could be read of it. */
  readonly filter: ReplayFilter
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly sources: readonly Source[]
  /** `sendTo` is the endpoint that the deliveries are for, if one was chosen before. */
  readonly sendTo: string | null
}) {
  const { event, delivery, failedIn } = filter
  const byId = Object.entries({ event, delivery, failedIn }).filter(([, value]) => value !== undefined)
  const moment = { type: 'datetime-local', step: 1 } as const
  const form = useRef<HTMLFormElement>(null)
  const draft = useDraft(form, 'filter')
  return (
    <form action="/replays/new" ref={form} onSubmit={draft.end}>
      <Card title="Which deliveries" className="max-w-[46rem]">
        {byId.length > 0 && (
          <p className="mb-4 text-sm">Only {replayFilterLabels({ event, delivery, failedIn }).join(', ')}.</p>
        )}
        {sendTo && <input type="hidden" name="send" value={sendTo} />}
        {byId.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,15rem),1fr))] gap-4">
          <TextField
            label="Received from (UTC)"
            name="from"
            {...moment}
            defaultValue={local(filter.from)}
            error={errors.from}
          />
          <TextField
            label="Received before (UTC)"
            name="to"
            {...moment}
            defaultValue={local(filter.to)}
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
            defaultChecked={filter.once === 'yes'}
            label="Skip duplicates"
            hint="Sends only the first delivery of each event."
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
const local = (moment: string | undefined) => moment?.slice(0, 19) ?? ''
