import type { FormValues } from '#lib/platform/forms/action-state.ts'
import { ownValue } from '#lib/platform/rules/own-value.ts'

/** What is read of a control to see whether what was wrong with it is put right. */
export interface CheckedControl {
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
