import { isDialogOpen } from './is-dialog-open.ts'

/** Whether keys belong to what has the focus, or to an open dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (isDialogOpen()) return true
  return target.isContentEditable || target.matches('input, textarea, select')
}
