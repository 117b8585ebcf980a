/** Whether keys belong to what has the focus, or to an open dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  // A popover that is closed stands in the page all the same.
  const dialogs = document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog]')
  if ([...dialogs].some((dialog) => dialog.checkVisibility())) return true
  return target.isContentEditable || target.matches('input, textarea, select')
}
