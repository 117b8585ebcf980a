/** Whether keys belong to what has the focus, or to an open dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (document.querySelector('dialog[open], [role=dialog], [role=alertdialog]')) return true
  return target.isContentEditable || target.matches('input, textarea, select')
}
