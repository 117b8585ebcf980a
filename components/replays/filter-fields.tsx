import { eventTypes, isEventType, wordsOfEventType } from '#lib/domain/event-types.ts'
import type { ReplayFilter } from '#lib/replay/replay-forms.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import { wordsOfFilter } from './replay-words.ts'

/** Which deliveries: a form of the address, so that it can be sent as a link and comes back as it was. */
export function FilterFields({
  given,
  filter,
  errors,
}: {
  /** As it stands in the address. */
  readonly given: Readonly<Record<string, string | undefined>>
  /** What was understood of it. */
  readonly filter: ReplayFilter
  readonly errors: Readonly<Record<string, string | undefined>>
}) {
  const { event, delivery, failedIn } = filter
  const byId = Object.entries({ event, delivery, failedIn }).filter(([, value]) => value !== undefined)
  const moment = { type: 'datetime-local', step: 1 } as const
  return (
    <form action="/replays/new">
      <Card title="Which deliveries" className="max-w-[46rem]">
        {byId.length > 0 && (
          <p className="mb-4 text-sm">Only {wordsOfFilter({ event, delivery, failedIn }).join(', ')}.</p>
        )}
        {byId.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div className="grid gap-4 sm:grid-cols-2">
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
          <Field label="Type" error={errors.type}>
            {(control) => (
              <Select {...control} name="type" defaultValue={given.type ?? ''}>
                <option value="">Every type</option>
                {typesOffered(given.type).map((type) => (
                  <option key={type} value={type}>
                    {wordsOfEventType(type).label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {texts.map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              name={name}
              mono
              autoComplete="off"
              spellCheck={false}
              defaultValue={given[name] ?? ''}
              error={errors[name]}
            />
          ))}
        </div>
        <div className="mt-4 flex justify-end">
          <Button type="submit">Count them</Button>
        </div>
      </Card>
    </form>
  )
}

const texts = [
  ['step', 'Step (subType)'],
  ['endpoint', 'Endpoint (uuid)'],
  ['user', 'User or company (uuid)'],
  ['transaction', 'Transaction (uuid)'],
] as const

/** A type that we do not know can be chosen by its name in the address. */
const typesOffered = (given: string | undefined): readonly string[] =>
  given === undefined || isEventType(given) ? eventTypes : [...eventTypes, given]

/** As the browser's own field writes it. */
const local = (moment: string | undefined) => moment?.slice(0, 19) ?? ''
