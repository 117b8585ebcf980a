'use client'

import { useState } from 'react'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { Button } from '../button.tsx'
import { Disclosure } from '../disclosure.tsx'
import { Field, TextField } from '../field.tsx'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { DraftLine } from '../form/draft.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { Select } from '../input.tsx'

/**
 * The form compares what a customer says with a value of an event. The answer is yes or no, and the audit records
 * the question.
 */
export function MatchForm({
  transaction,
  fields,
  action,
}: {
  readonly transaction: string
  /** Each field that can be compared has a path, a name, and the value as the page shows it. */
  readonly fields: readonly (readonly [path: string, name: string, shown: string])[]
  readonly action: Action<{ readonly matches: boolean }>
}) {
  const values = fields.map(([, , shown]) => shown).join('\n')
  const [compared, setCompared] = useState<string | null>(null)
  const { state, pending, isAsSent, errorOf, draft, form } = useFormAction(
    action,
    () => setCompared(values),
    { draft: 'match' },
  )
  return (
    <Disclosure summary="Verify caller details">
      <form {...form} className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
        <input type="hidden" name="transaction" value={transaction} />
        <Field label="Compare" error={errorOf('field')}>
          {(control) => (
            <Select {...control} name="field">
              {fields.map(([path, name]) => (
                <option key={path} value={path}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <TextField
          label="Customer’s answer"
          hint="At least 2 characters."
          name="said"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          error={errorOf('said')}
        />
        <ActionOutcome state={state} />
        <DraftLine draft={draft} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button size="sm" type="submit" pending={pending}>
            Compare
          </Button>
          <p role="status" className="font-label text-sm">
            {state.kind === 'done' &&
              isAsSent &&
              compared === values &&
              (state.value.matches ? (
                <span className="text-done">Yes, it matches</span>
              ) : (
                <span className="text-fail">No, it does not match</span>
              ))}
          </p>
        </div>
      </form>
    </Disclosure>
  )
}
