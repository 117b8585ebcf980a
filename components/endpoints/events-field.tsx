'use client'

import { clsx } from 'clsx'
import { useId, useState } from 'react'
import { Callout } from '#components/ui/callout.tsx'
import { FieldError } from '#components/ui/field.tsx'
import { Checkbox } from '#components/ui/input.tsx'
import { type EventType, eventTypes, isEventType } from '#lib/deliveries/rules/event-types.ts'
import { eventGroups, eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { LostWithout } from './missing-types.tsx'

/**
 * The field chooses the event types of an endpoint: every one (the field is then left out, §2.3), or those that are
 * ticked. `offerAll` is false when the service cannot go back to every type.
 */
export function EventsField({
  chosen,
  offerAll = true,
  here,
  error,
}: {
  /** `chosen` is null for every type. */
  readonly chosen: readonly string[] | null
  readonly offerAll?: boolean
  /** `here` is true when the endpoint delivers to this dashboard, which cannot show events that it does not get. */
  readonly here: boolean
  readonly error?: string | undefined
}) {
  const id = useId()
  const unknown = chosen?.filter((type) => !isEventType(type)) ?? []
  const [all, setAll] = useState(chosen === null)
  const [ticked, setTicked] = useState<ReadonlySet<string>>(() => new Set(chosen ?? []))
  const [touched, setTouched] = useState(chosen !== null)
  const tick = (types: readonly EventType[], on: boolean) => {
    const next = new Set(ticked)
    for (const type of types) on ? next.add(type) : next.delete(type)
    setTicked(next)
    setTouched(true)
  }
  // A missing field would mean every type, so the form sends a value that the server refuses.
  const none = !all && ticked.size === 0
  const said = none && touched ? 'Tick at least one.' : error
  const unticked = all || none ? [] : eventTypes.filter((type) => !ticked.has(type))
  return (
    <fieldset aria-describedby={said ? `${id}-error` : undefined}>
      <legend className="mb-1.5 flex w-full items-baseline justify-between font-label text-sm">
        Events
        {!all && (
          <span className="num font-normal text-faint text-xs">
            {eventTypes.filter((type) => ticked.has(type)).length} of {eventTypes.length}
          </span>
        )}
      </legend>
      {offerAll && (
        <div className="mb-3 flex flex-wrap gap-2">
          <Choice label="All events" name="events" value="all" checked={all} onChange={() => setAll(true)} />
          <Choice
            label="Only some"
            name="events"
            value="some"
            checked={!all}
            onChange={() => setAll(false)}
          />
        </div>
      )}
      {all ? (
        <p className="text-muted text-sm">All current and future event types.</p>
      ) : (
        <div className="grid rounded-panel border md:grid-cols-2">
          {eventGroups.map((group) => (
            <Group
              key={group}
              name={group}
              types={eventTypes.filter((type) => eventTypeLabels[type].group === group)}
              ticked={ticked}
              invalid={said !== undefined}
              onTick={tick}
            />
          ))}
        </div>
      )}
      {unknown.length > 0 && (
        <p className="wrap-anywhere mt-1.5 text-muted text-sm">
          It also keeps what this form cannot change: {unknown.join(', ')}.
        </p>
      )}
      {none && <input type="hidden" name="subscribedEvents" value="none" />}
      {none && !said && <p className="mt-1.5 text-muted text-sm">Tick those that it needs.</p>}
      {here && unticked.length > 0 && (
        <Callout title="Without these events, unless another endpoint delivers them here:" className="mt-3">
          <LostWithout types={unticked} />
        </Callout>
      )}
      {said && <FieldError id={`${id}-error`}>{said}</FieldError>}
    </fieldset>
  )
}

function Group({
  name,
  types,
  ticked,
  invalid,
  onTick,
}: {
  readonly name: string
  readonly types: readonly EventType[]
  readonly ticked: ReadonlySet<string>
  readonly invalid: boolean
  readonly onTick: (types: readonly EventType[], on: boolean) => void
}) {
  const every = types.every((type) => ticked.has(type))
  return (
    <fieldset className="min-w-0 border-b p-3.5 last:border-b-0 md:odd:border-r md:last:odd:col-span-2 md:last:border-r-0">
      <legend className="float-left w-full">
        <span className="flex items-center justify-between gap-3">
          <span className="font-title text-muted text-xs">{name}</span>
          {types.length > 1 && (
            <button
              type="button"
              onClick={() => onTick(types, !every)}
              className="touch-target relative rounded-sm text-faint text-xs underline hover:text-text"
            >
              {every ? 'None' : 'All'}
              <span className="sr-only"> of {name}</span>
            </button>
          )}
        </span>
      </legend>
      <div className="clear-both grid gap-2.5 pt-2.5">
        {types.map((type) => (
          <Checkbox
            key={type}
            name="subscribedEvents"
            value={type}
            checked={ticked.has(type)}
            aria-invalid={invalid || undefined}
            onChange={(event) => onTick([type], event.target.checked)}
            label={eventTypeLabels[type].label}
            hint={eventTypeLabels[type].meaning}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** The choice is a radio button in the shape of a pill. */
export function Choice({
  label,
  hint,
  className,
  ...input
}: {
  readonly label: string
  readonly hint?: string
  readonly name: string
  readonly value?: string
  readonly checked: boolean
  readonly onChange: () => void
  readonly className?: string
}) {
  return (
    <label
      className={clsx(
        'flex items-start gap-2.5 rounded-lg border border-line-strong bg-surface px-3 py-2 pointer-coarse:py-2.5 text-sm transition-colors hover:bg-hover has-checked:border-ink has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2',
        className,
      )}
    >
      <input type="radio" className="mt-[0.1875rem] size-4 shrink-0 accent-ink outline-none" {...input} />
      <span>
        <span className="font-label">{label}</span>
        {hint && <span className="block text-muted">{hint}</span>}
      </span>
    </label>
  )
}
