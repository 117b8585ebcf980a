'use client'

import { TextField } from '#components/ui/field.tsx'
import { useZone } from '#components/ui/time.tsx'
import { type QuietHours, timeOfDay } from '#lib/operations/rules/quiet-hours.ts'

/** The fields set the hours in which warnings wait. Empty times mean none. */
export function QuietFields({
  quiet,
  errorOf,
}: {
  readonly quiet: QuietHours | null
  readonly errorOf: (field: string) => string | undefined
}) {
  const own = useZone()
  return (
    <fieldset>
      <legend className="mb-1.5 font-label text-sm">Quiet hours</legend>
      <p className="mb-2.5 text-muted text-sm">
        Warnings wait until they end; urgent alerts do not. Empty: none.
      </p>
      <div className="grid grid-cols-2 items-start gap-3">
        <TextField
          label="From"
          name="quietFrom"
          type="time"
          defaultValue={quiet ? timeOfDay(quiet.from) : ''}
          error={errorOf('quietFrom')}
        />
        <TextField
          label="Until"
          name="quietUntil"
          type="time"
          defaultValue={quiet ? timeOfDay(quiet.until) : ''}
          error={errorOf('quietUntil')}
        />
        <TextField
          label="Time zone"
          name="zone"
          className="col-span-2"
          defaultValue={quiet?.zone ?? own}
          maxLength={60}
          autoComplete="off"
          spellCheck={false}
          error={errorOf('zone')}
        />
      </div>
    </fieldset>
  )
}
