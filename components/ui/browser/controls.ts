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
 * Repeats what people type, tick, choose or send before React has taken over a control or its form. React hears none of it,
 * and would empty the field later. Call this before the page is hydrated.
 */
export function repeatEarlyUse(): void {
  for (const control of document.querySelectorAll('input, textarea, select'))
    if (isControl(control) && isChanged(control)) repeatOnceTaken(control)
  document.addEventListener('input', ({ target }) => isControl(target) && repeatOnceTaken(target), true)
  document.addEventListener('submit', repeatSubmit, true)
}

/** The form was sent by this button, or by the key Enter, and waits for React. */
const unsent = new WeakMap<HTMLFormElement, HTMLElement | null>()

/** A form with an address of its own needs no React. */
function repeatSubmit(event: SubmitEvent): void {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || form.hasAttribute('action') || isTaken(form)) return
  event.preventDefault()
  // React may hydrate the form for this event, and would send it too.
  event.stopImmediatePropagation()
  const isWaiting = unsent.has(form)
  unsent.set(form, submitter)
  if (!isWaiting)
    onceTaken(form, () => {
      const button = unsent.get(form)
      unsent.delete(form)
      form.requestSubmit(button)
    })
}

/** The map holds what stood last in each control that React has not taken over. */
const early = new WeakMap<Control, string | boolean>()

const used = new WeakSet<Control>()

/** Somebody typed into the control, ticked it or chose in it, perhaps before React had taken it over. */
export const wasUsed = (control: Control): boolean => used.has(control)

function repeatOnceTaken(control: Control): void {
  used.add(control)
  const isWaiting = early.has(control)
  const state = stateOf(control)
  if (!isWaiting && isTaken(control)) {
    if (stateOf(control) !== state) repeat(control, state)
    return
  }
  early.set(control, state)
  if (isWaiting) return
  onceTaken(control, () => {
    const state = early.get(control)
    early.delete(control)
    if (state !== undefined) repeat(control, state)
  })
}

function onceTaken(element: Control | HTMLFormElement, act: () => void): void {
  const began = performance.now()
  const timer = setInterval(() => {
    const taken = isTaken(element)
    if (!taken && element.isConnected && performance.now() - began < mostMs) return
    clearInterval(timer)
    if (taken) act()
  }, checkMs)
}

const stateOf = (control: Control): string | boolean =>
  isTickable(control) ? control.checked : control.value

/** A form is taken over after its controls, whose early input is then repeated first. */
const isTaken = (element: Control | HTMLFormElement): boolean =>
  element instanceof HTMLFormElement
    ? isKnown(element) &&
      isHeard(element) &&
      ![...element.elements].some((one) => isControl(one) && early.has(one))
    : isKnown(element) && isHeard(element)

/** React watches the state of a field by a property of its own, and puts another one on each element. */
const isKnown = (element: Control | HTMLFormElement): boolean =>
  !(element instanceof HTMLFormElement) && isWatched(element)
    ? Object.hasOwn(element, isTickable(element) ? 'checked' : 'value')
    : Object.getOwnPropertyNames(element).some((name) => name.startsWith('__reactProps$'))

/**
 * React knows an element while it hydrates. An event in between makes it hydrate all of the page at once, which empties the field
 * before the event is heard, and stops the event at the document if that fails. Nothing else reacts to this one.
 */
function isHeard(element: Element): boolean {
  let heard = false
  const hear = () => {
    heard = true
  }
  element.addEventListener(probe, hear)
  element.dispatchEvent(new Event(probe, { bubbles: true }))
  element.removeEventListener(probe, hear)
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
