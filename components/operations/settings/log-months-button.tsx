'use client'

import { useRouter } from 'next/navigation'
import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** Says for how many months bodies stay in the log, and events at all. */
export function LogMonthsButton({
  months,
  seen,
  save,
}: {
  readonly months: { readonly bodies?: number | undefined; readonly events?: number | undefined }
  /** The version of what is shown: whoever has not seen what another saved overwrites nothing. */
  readonly seen: string
  readonly save: Action<null>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change months"
      title="Change how long the log and events are kept?"
      description="What is older is removed within a day, for good. Without bodies, events keep their steps, amounts, ids and names. Events go with their whole transaction once it has finished; what is open stays. See first what would go: npm run rampart retention bodies=12 events=24."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      draft="log-months"
      done="The log is kept as long as you said from now on."
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
