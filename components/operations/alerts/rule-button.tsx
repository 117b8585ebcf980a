'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Choice } from '#components/endpoints/events-field.tsx'
import { Field, FieldError, TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { Checkbox, Select } from '#components/ui/input.tsx'
import type { AlertRuleView } from '#lib/operations/alerts/alert-rules.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** A rule may name these channels. */
export interface NamedChannel {
  readonly id: string
  readonly name: string
  /** False when it is switched off, or e-mail that nobody gets. */
  readonly enabled: boolean
}

/** The dialog changes when a condition fires and who is notified. */
export function ChangeRuleButton({
  rule,
  channels,
  change,
}: {
  readonly rule: AlertRuleView
  readonly channels: readonly NamedChannel[]
  readonly change: Action<{ readonly condition: AlertRuleView['condition'] }>
}) {
  const router = useRouter()
  const { condition, title, measures, enabled, threshold, unit, fires, least, most, repeatHours, seen } = rule
  return (
    <ConfirmedActionButton
      label="Change"
      of={title}
      title={`Change the rule “${title}”?`}
      description={`${measures} The change takes effect at once. All admins are told.`}
      action={change}
      afterFreshSignIn
      fields={{ condition, seen }}
      // The draft is kept also after somebody else changed the rule.
      draft={`rule ${condition}`}
      done="The rule is changed."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <>
          <Field label="State" error={errorOf('enabled')}>
            {(control) => (
              <Select {...control} name="enabled" defaultValue={String(enabled)}>
                <option value="true">On</option>
                <option value="false">Off: it is not measured</option>
              </Select>
            )}
          </Field>
          <div className="grid items-start gap-3 @xs:grid-cols-2">
            <TextField
              label={`Threshold, ${unit}`}
              name="threshold"
              type="number"
              step="any"
              min={least}
              max={most}
              inputMode="decimal"
              defaultValue={threshold}
              required
              hint={`It fires at this value or ${fires === 'at-least' ? 'more' : 'less'}. Default: ${rule.defaultThreshold.toLocaleString('en')}.`}
              error={errorOf('threshold')}
            />
            <TextField
              label="Repeat after, hours"
              name="repeatHours"
              type="number"
              min={0}
              max={720}
              inputMode="numeric"
              defaultValue={repeatHours}
              required
              hint="Until somebody acknowledges it. 0: never."
              error={errorOf('repeatHours')}
            />
          </div>
          <Recipients
            chosen={rule.channels}
            channels={channels}
            error={errorOf('channels') ?? errorOf('to')}
          />
        </>
      )}
    </ConfirmedActionButton>
  )
}

function Recipients({
  chosen,
  channels,
  error,
}: {
  /** `chosen` is null for all channels. */
  readonly chosen: readonly string[] | null
  readonly channels: readonly NamedChannel[]
  readonly error: string | undefined
}) {
  const [all, setAll] = useState(chosen === null)
  return (
    <fieldset>
      <legend className="mb-1.5 font-label text-sm">Channels</legend>
      <div className="flex flex-wrap gap-2">
        <Choice label="All channels" name="to" value="all" checked={all} onChange={() => setAll(true)} />
        <Choice label="Only some" name="to" value="chosen" checked={!all} onChange={() => setAll(false)} />
      </div>
      {!all && (
        <div className="mt-3 grid gap-2.5">
          {channels.map(({ id, name, enabled }) => (
            <Checkbox
              key={id}
              name="channels"
              value={id}
              defaultChecked={chosen?.includes(id) ?? false}
              aria-invalid={error === undefined ? undefined : true}
              label={enabled ? name : `${name} (reaches nobody)`}
            />
          ))}
        </div>
      )}
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}
