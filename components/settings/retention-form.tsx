'use client'

import { useRouter } from 'next/navigation'
import { eventTypes } from '#lib/domain/delivery/event-types.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { eventTypeLabels } from '#lib/labels/event-type-labels.ts'
import { useFormAction } from '../form/use-form-action.ts'
import { TextField } from '../ui/field.tsx'
import { SaveButton } from './save-button.tsx'

/** After how many days personal data of events ends, by type. */
export function RetentionForm({
  days,
  save,
}: {
  readonly days: Readonly<Record<string, number>>
  readonly save: Action<null>
}) {
  const router = useRouter()
  const { state, pending, errorOf, form } = useFormAction(save, () => router.refresh())
  return (
    <form {...form} className="grid gap-4">
      <p className="text-muted text-sm">
        Days, by type. Afterwards personal data is taken out of these events; amounts, times and the fact
        itself stay. This cannot be undone. Empty: kept for good.
      </p>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3">
        {eventTypes.map((type) => (
          <TextField
            key={type}
            label={eventTypeLabels[type].label}
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
      <SaveButton state={state} pending={pending} />
    </form>
  )
}
