'use client'

import { type SubmitEvent, type SyntheticEvent, useState } from 'react'
import type { ActionState, FormValues } from '#lib/platform/forms/action-state.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { isControl } from '../browser/controls.ts'

/** The last answer has an error for each field, which disappears when the field is corrected. */
export function useFieldErrors(state: ActionState<unknown>) {
  const [mended, setMended] = useState<{
    readonly of: ActionState<unknown>
    readonly names: readonly string[]
  }>({ of: state, names: [] })
  const names = mended.of === state ? mended.names : []
  return {
    errorOf: (field: string): string | undefined =>
      state.kind === 'invalid' && !names.includes(field) ? ownValue(state.fields, field) : undefined,
    /** The form element gets this. */
    onInput: ({ target }: SyntheticEvent<HTMLFormElement>) => {
      if (state.kind !== 'invalid' || !isControl(target) || !Object.hasOwn(state.fields, target.name)) return
      const others = names.filter((name) => name !== target.name)
      setMended({ of: state, names: isMended(target, state.values) ? [...others, target.name] : others })
    },
  }
}

/** These properties of a control show whether its error is corrected. */
interface CheckedControl {
  readonly name: string
  readonly type: string
  readonly inputMode?: string
  readonly value: string
  readonly required: boolean
  readonly validity: { readonly valid: boolean }
}

/**
 * The control holds something else than the refused value, and the browser finds it valid. The server checks the
 * rest when the form is sent again.
 */
export function isMended(control: CheckedControl, refused: FormValues): boolean {
  if (control.type === 'radio' || control.type === 'checkbox') return control.validity.valid
  const value = control.value.trim()
  const before = ownValue(refused, control.name)
  const isOther = typeof before !== 'string' || value !== before.trim()
  // No such field has the type `email`, with which a browser would check more.
  if (control.inputMode === 'email' && value !== '' && !/\S@\S/.test(value)) return false
  return isOther && control.validity.valid && !(control.required && value === '')
}

/** The text is that of one field of a form that is being submitted. The page stays. */
export function submittedText(event: SubmitEvent<HTMLFormElement>, name: string): string {
  event.preventDefault()
  const value = new FormData(event.currentTarget).get(name)
  return typeof value === 'string' ? value.trim() : ''
}
