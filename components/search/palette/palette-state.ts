import { isDialogOpen } from '#components/ui/browser/keys.ts'

/** Whether the palette is open, as a store to subscribe to: any page opens it, one place draws it. */

let open = false
const listeners = new Set<() => void>()

export function subscribeToPalette(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const isPaletteOpen = (): boolean => open

export function setPaletteOpen(next: boolean): void {
  if (next && isCovered()) return
  open = next
  for (const notify of listeners) notify()
}

/** The browser's own dialogs cover everything: the drawer and the list of keys make way, a locked page does not. */
function isCovered(): boolean {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open][data-makes-way]'))
    dialog.close()
  return isDialogOpen()
}

/** Asks whoever draws the list of keys for it. */
export const openKeys = () => void document.dispatchEvent(new Event(keysAsked))

/** What `openKeys` says to the document. */
export const keysAsked = 'rampart-keys'
