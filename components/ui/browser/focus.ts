/**
 * The first field of the panel that can be filled in gets the focus as soon as it is there, unless the reader is busy with
 * something else by then.
 */
export function focusFieldOnceThere(panel: HTMLElement, isBusy: () => boolean): MutationObserver {
  const later = new MutationObserver(() => {
    const come = findField(panel)
    if (come && !isBusy()) come.focus()
    if (come || !panel.isConnected) later.disconnect()
  })
  later.observe(panel, { childList: true, subtree: true, attributeFilter: ['inert'] })
  return later
}

/** The chosen radio button of a group gets the focus, as with Tab. */
export function findField(panel: HTMLElement): HTMLElement | null {
  const first = [...panel.querySelectorAll<HTMLElement>(fillable)].find((field) => !field.closest('[inert]'))
  if (!first?.matches('[type=radio]')) return first ?? null
  return panel.querySelector<HTMLElement>('[type=radio]:checked') ?? first
}

const fillable = 'input:enabled:not([type=hidden], [readonly]), select:enabled, textarea:enabled'

/** The element is a `ref`: it replaces what had the focus, and gets it unless the reader has gone elsewhere. */
export function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true })
}
