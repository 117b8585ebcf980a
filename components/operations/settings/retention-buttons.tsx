'use client'

import { useRouter } from 'next/navigation'
import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { eventTypes, otherEvents } from '#lib/deliveries/rules/event-types.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { eventTypeLabels, otherEventsLabel } from '#lib/timeline/labels/event-type-labels.ts'

/** The dialog sets after how many days the personal data of events ends, by type. */
export function RetentionButton({
  days,
  seen,
  save,
}: {
  readonly days: Readonly<Record<string, number>>
  /** `seen` is the version of what is shown, so that an admin never overwrites a change that they have not seen. */
  readonly seen: string
  readonly save: Action<null>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change retention"
      title="Change how long personal data is kept?"
      description="After these days personal data is removed from these events; amounts and times stay. “Anything else” means unknown types and unreadable bodies. This cannot be undone. Empty: kept for good."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      // The draft is kept when the admin opens the dialog again, also after somebody else changed the settings.
      draft="retention"
      done="Saved. The new retention applies from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-3">
          {([...eventTypes, otherEvents] as const).map((type) => (
            <TextField
              key={type}
              label={`${type === otherEvents ? otherEventsLabel : eventTypeLabels[type].label}, days`}
              name={type}
              type="number"
              min={1}
              max={36_500}
              inputMode="numeric"
              placeholder="for good"
              defaultValue={days[type] ?? ''}
              error={errorOf(type)}
            />
          ))}
        </div>
      )}
    </ConfirmedActionButton>
  )
}

/** The dialog sets for how many months the log keeps bodies, and events are kept at all. */
export function LogMonthsButton({
  months,
  seen,
  save,
}: {
  readonly months: { readonly bodies?: number | undefined; readonly events?: number | undefined }
  /** `seen` is the version of what is shown, so that an admin never overwrites a change that they have not seen. */
  readonly seen: string
  readonly save: Action<null>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change months"
      title="Change how long the log and events are kept?"
      description="Older data is removed within a day, for good. Events without bodies keep status, amounts, IDs and names. Events are removed with their finished transaction; open ones stay. To preview: npm run rampart retention bodies=12 events=24."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      draft="log-months"
      done="Saved. The new retention applies from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-3">
          {(
            [
              ['bodies', 'Bodies, months'],
              ['events', 'Events, months'],
            ] as const
          ).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              name={name}
              type="number"
              min={1}
              max={1_200}
              inputMode="numeric"
              placeholder="for good"
              defaultValue={months[name] ?? ''}
              error={errorOf(name)}
            />
          ))}
        </div>
      )}
    </ConfirmedActionButton>
  )
}
