export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

export const isControl = (element: unknown): element is Control =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement

export const isTickable = (control: Control): control is HTMLInputElement =>
  control.type === 'radio' || control.type === 'checkbox'

/** React watches `value` on each control: only its class’s own setter is seen as typing. */
export function typeInto(control: Control, value: string): void {
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')
  own?.set?.call(control, value)
  for (const event of ['input', 'change']) control.dispatchEvent(new Event(event, { bubbles: true }))
}

/** Milliseconds between two checks whether React has taken over a control, and until the checks end. */
const checkMs = 50
const mostMs = 60_000

/**
 * Repeats what people type, tick or choose before React has taken over a control. React hears none of it, and would empty the
 * field later. Call this before the page is hydrated.
 */
export function repeatEarlyInput(): void {
  for (const control of document.querySelectorAll('input, textarea, select'))
    if (isControl(control) && isChanged(control)) repeatOnceTaken(control)
  document.addEventListener('input', ({ target }) => isControl(target) && repeatOnceTaken(target), true)
}

/** The map holds what stood last in each control that React has not taken over. */
const early = new WeakMap<Control, string | boolean>()

const usedEarly = new WeakSet<Control>()

/** Somebody used the control before React had taken it over. */
export const wasUsedEarly = (control: Control): boolean => usedEarly.has(control)

function repeatOnceTaken(control: Control): void {
  const isWaiting = early.has(control)
  const state = stateOf(control)
  if (!isWaiting && isTaken(control)) {
    if (stateOf(control) !== state) repeat(control, state)
    return
  }
  early.set(control, state)
  usedEarly.add(control)
  if (isWaiting) return
  const began = performance.now()
  const timer = setInterval(() => {
    const taken = isTaken(control)
    if (!taken && control.isConnected && performance.now() - began < mostMs) return
    clearInterval(timer)
    const state = early.get(control)
    early.delete(control)
    if (taken && state !== undefined) repeat(control, state)
  }, checkMs)
}

const stateOf = (control: Control): string | boolean =>
  isTickable(control) ? control.checked : control.value

const isTaken = (control: Control): boolean => isKnown(control) && isHeard(control)

/** React watches the state of a field by a property of its own, and puts another one on each element. */
const isKnown = (control: Control): boolean =>
  isWatched(control)
    ? Object.hasOwn(control, isTickable(control) ? 'checked' : 'value')
    : Object.getOwnPropertyNames(control).some((name) => name.startsWith('__reactProps$'))

/**
 * React knows a control while it hydrates. An event in between makes it hydrate all of the page at once, which empties the field
 * before the event is heard, and stops the event at the document if that fails. Nothing else reacts to this one.
 */
function isHeard(control: Control): boolean {
  let heard = false
  const hear = () => {
    heard = true
  }
  control.addEventListener(probe, hear)
  control.dispatchEvent(new Event(probe, { bubbles: true }))
  control.removeEventListener(probe, hear)
  return heard
}

const probe = 'touchcancel'

/** React trusts each change of the others. */
const isWatched = (control: Control): boolean => !/^(select|file)/.test(control.type)

function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some(({ selected, defaultSelected }) => selected !== defaultSelected)
  return isTickable(control)
    ? control.checked !== control.defaultChecked
    : control.value !== control.defaultValue
}

/** The control is first set to something else before React's eyes, since React hears only of what differs. */
function repeat(control: Control, state: string | boolean): void {
  if (typeof state === 'boolean') {
    if (!isTickable(control)) return
    control.checked = !state
    control.click()
  } else if (control.type === 'file') control.dispatchEvent(new Event('change', { bubbles: true }))
  else {
    if (isWatched(control)) control.value = state === '' ? ' ' : ''
    typeInto(control, state)
  }
}
