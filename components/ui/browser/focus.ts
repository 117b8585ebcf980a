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

/**
 * The element is a `ref` of what its own action may remove. When it goes with the focus, the focus stays near: in its
 * row, in the next one, in the one before, or at the heading of the list.
 */
export function keepFocusNear(element: HTMLElement | null): () => void {
  return () => {
    if (!element?.contains(document.activeElement)) return
    const row = element.closest('li, tr, section, header')
    const lists = [row?.parentElement?.closest('section'), element.closest('main')]
    const rows = [row, row?.nextElementSibling, row?.previousElementSibling]
    // The page has its new content at the end of this task.
    queueMicrotask(() => {
      const left = rows.find((one) => one?.isConnected)
      const controls = left === row ? 'button:enabled' : '[data-row], a[href], button:enabled'
      const control = left?.querySelector<HTMLElement>(controls)
      if (control) return focusIfLost(control)
      const [heading] = lists.flatMap((list) =>
        list?.isConnected ? [...list.querySelectorAll<HTMLElement>('h1, h2')] : [],
      )
      if (!heading) return
      heading.tabIndex = -1
      focusIfLost(heading)
    })
  }
}
