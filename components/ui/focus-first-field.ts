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
    return field.focus()
  }
  // Otherwise the focus would stay on what lies behind the dialog.
  if (!panel.querySelector('a[href], button:enabled')) {
    opened.preventDefault()
    panel.focus()
  }
  const later = new MutationObserver(() => {
    const come = findField(panel)
    if (come && !isBusyIn(panel)) come.focus()
    if (come || !panel.isConnected) later.disconnect()
  })
  later.observe(panel, { childList: true, subtree: true })
}

const findField = (panel: HTMLElement) => panel.querySelector<HTMLElement>(fillable)

const fillable =
  'input:enabled:not([type=hidden], [type=checkbox], [type=radio], [readonly]), select:enabled, textarea:enabled'

/** Whether somebody has moved on to something in the dialog. */
const isBusyIn = (panel: HTMLElement) =>
  document.activeElement !== panel && panel.contains(document.activeElement)
