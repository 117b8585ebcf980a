'use client'

import { type SubmitEvent, type SyntheticEvent, useState } from 'react'
import type { ActionState, FormValues } from '#lib/platform/forms/action-state.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { isControl } from '../browser/controls.ts'

/** What is wrong with each field by the last answer, until it is put right. */
export function useFieldErrors(state: ActionState<unknown>) {
  const [mended, setMended] = useState<{
    readonly of: ActionState<unknown>
    readonly names: readonly string[]
  }>({ of: state, names: [] })
  const names = mended.of === state ? mended.names : []
  return {
    errorOf: (field: string): string | undefined =>
      state.kind === 'invalid' && !names.includes(field) ? ownValue(state.fields, field) : undefined,
    /** For the form element. */
    onInput: ({ target }: SyntheticEvent<HTMLFormElement>) => {
      if (state.kind !== 'invalid' || !isControl(target) || !Object.hasOwn(state.fields, target.name)) return
      const others = names.filter((name) => name !== target.name)
      setMended({ of: state, names: isMended(target, state.values) ? [...others, target.name] : others })
    },
  }
}

/** What is read of a control to see whether what was wrong with it is put right. */
interface CheckedControl {
  readonly name: string
  readonly type: string
  readonly inputMode?: string
  readonly value: string
  readonly required: boolean
  readonly validity: { readonly valid: boolean }
}

/**
 * Whether something else stands in a control than what was refused, which the browser finds right: the rest of what a server
 * asks for is seen when it is sent again.
 */
export function isMended(control: CheckedControl, refused: FormValues): boolean {
  if (control.type === 'radio' || control.type === 'checkbox') return control.validity.valid
  const value = control.value.trim()
  const before = ownValue(refused, control.name)
  const isOther = typeof before !== 'string' || value !== before.trim()
  // No such field has the type `email`, of which a browser would know more.
  if (control.inputMode === 'email' && value !== '' && !/\S@\S/.test(value)) return false
  return isOther && control.validity.valid && !(control.required && value === '')
}

/** What stands in one field of a form that is being submitted, which stays on the page. */
export function submittedText(event: SubmitEvent<HTMLFormElement>, name: string): string {
  event.preventDefault()
  const value = new FormData(event.currentTarget).get(name)
  return typeof value === 'string' ? value.trim() : ''
}
