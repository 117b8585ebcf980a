import type { Draft } from './draft-store.ts'

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Whether a draft may hold what stands in a control: never a secret, a code, a file, or what the page itself has put into the
 * form.
 */
export const isDraftable = ({
  name,
  type,
  autocomplete,
}: {
  readonly name: string
  readonly type: string
  readonly autocomplete: string
}): boolean => name !== '' && !neverKept.has(type) && !/password|one-time-code|^cc-/.test(autocomplete)

const neverKept = new Set(['password', 'hidden', 'file', 'submit', 'button', 'reset', 'image'])

/** What stands in each control of the form. */
export const readControls = (form: HTMLFormElement): Draft =>
  controlsOf(form).map((control) => [keyOf(control), stateOf(control)])

/** What of it is not as it was first: only that is kept, so that a draft takes back nothing that another has changed. */
export const changesOf = (now: Draft, first: Draft): Draft =>
  now.filter(([control, value]) => valueIn(first, control) !== value)

/** Fills the controls that were not filled before, as if somebody had typed it, so that React knows it too. */
export function fillControls(form: HTMLFormElement, draft: Draft, filled: WeakSet<Control>): void {
  for (const control of controlsOf(form)) {
    if (filled.has(control)) continue
    filled.add(control)
    const kept = valueIn(draft, keyOf(control))
    if (kept !== undefined) put(control, kept)
  }
}

/** Goes back to what stood there first; what came later, such as a field that a choice has brought, is emptied. */
export function resetControls(form: HTMLFormElement, first: Draft): void {
  for (const control of controlsOf(form)) {
    const before = valueIn(first, keyOf(control))
    if (before !== undefined || control.type !== 'select-one') put(control, before ?? '')
  }
}

export const isControl = (element: unknown): element is Control =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement

const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter((element) => isControl(element)).filter(isDraftable)

const valueIn = (draft: Draft, key: string): string | undefined =>
  draft.find(([control]) => control === key)?.[1]

/** Boxes and choices share a name. */
const keyOf = (control: Control): string =>
  isTickable(control) ? `${control.name}=${control.value}` : control.name

const stateOf = (control: Control): string =>
  isTickable(control) ? (control.checked ? ticked : '') : control.value

const ticked = 'ticked'

const isTickable = (control: Control): control is HTMLInputElement =>
  control.type === 'radio' || control.type === 'checkbox'

/** A choice goes away by another one. */
function put(control: Control, value: string): void {
  if (stateOf(control) === value) return
  if (!isTickable(control)) type(control, value)
  else if (value === ticked || control.type === 'checkbox') control.click()
}

/** React watches `value` on each control: only its class’s own setter is seen as typing. */
function type(control: Control, value: string): void {
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')
  own?.set?.call(control, value)
  for (const event of ['input', 'change']) control.dispatchEvent(new Event(event, { bubbles: true }))
}
