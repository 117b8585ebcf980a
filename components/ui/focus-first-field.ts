/**
 * An open dialog’s focus goes to the first field that can be filled in, also when the form appears only after a
 * confirmation. It is for Radix's `onOpenAutoFocus`, which otherwise chooses the first button.
 */
export function focusFirstField(opened: Event): void {
  const panel = opened.currentTarget
  if (!(panel instanceof HTMLElement)) return
  const field = findField(panel)
  if (field) {
    opened.preventDefault()
    field.focus()
    return
  }
  // Without this, the focus would stay on the page behind the dialog.
  if (![...panel.querySelectorAll('a[href], button:enabled')].some((one) => !one.closest('[inert]'))) {
    opened.preventDefault()
    panel.focus()
  }
  // Radix focuses this button as soon as the function returns.
  let given: Element | null = null
  queueMicrotask(() => {
    given = document.activeElement
  })
  const later = new MutationObserver(() => {
    const come = findField(panel)
    if (come && !isBusyIn(panel, given)) come.focus()
    if (come || !panel.isConnected) later.disconnect()
  })
  later.observe(panel, { childList: true, subtree: true, attributeFilter: ['inert'] })
}

/** The chosen radio button of a group gets the focus, as with Tab. */
function findField(panel: HTMLElement): HTMLElement | null {
  const first = [...panel.querySelectorAll<HTMLElement>(fillable)].find((field) => !field.closest('[inert]'))
  if (!first?.matches('[type=radio]')) return first ?? null
  return panel.querySelector<HTMLElement>('[type=radio]:checked') ?? first
}

const fillable = 'input:enabled:not([type=hidden], [readonly]), select:enabled, textarea:enabled'

/** The reader has moved on to something else in the dialog, away from the button that was focused as it opened. */
function isBusyIn(panel: HTMLElement, given: Element | null): boolean {
  const { activeElement } = document
  return activeElement !== panel && activeElement !== given && panel.contains(activeElement)
}
