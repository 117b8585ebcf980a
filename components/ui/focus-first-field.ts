/**
 * Gives an opened dialog’s focus to the first field that can be filled in, also when the form comes only after a
 * confirmation. For `onOpenAutoFocus` of Radix, which else chooses the first button.
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
  // Otherwise the focus would stay on what lies behind the dialog.
  if (![...panel.querySelectorAll('a[href], button:enabled')].some((one) => !one.closest('[inert]'))) {
    opened.preventDefault()
    panel.focus()
  }
  // The button that Radix focuses as soon as this returns.
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

/** Of radio buttons the one that is chosen, as Tab finds it. */
function findField(panel: HTMLElement): HTMLElement | null {
  const first = [...panel.querySelectorAll<HTMLElement>(fillable)].find((field) => !field.closest('[inert]'))
  if (!first?.matches('[type=radio]')) return first ?? null
  return panel.querySelector<HTMLElement>('[type=radio]:checked') ?? first
}

const fillable = 'input:enabled:not([type=hidden], [readonly]), select:enabled, textarea:enabled'

/** Whether somebody has moved on to something in the dialog, away from the button that was focused as it opened. */
function isBusyIn(panel: HTMLElement, given: Element | null): boolean {
  const { activeElement } = document
  return activeElement !== panel && activeElement !== given && panel.contains(activeElement)
}
