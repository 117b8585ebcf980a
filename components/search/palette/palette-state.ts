import { isDialogOpen, makeWay } from '#components/ui/browser/row-keys.tsx'

/** The store says whether the palette is open: any page opens it, and one place draws it. */

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

/** A dialog of the browser covers everything. A locked page does not make way. */
function isCovered(): boolean {
  makeWay()
  return isDialogOpen()
}

/** `openKeys` asks the list of keys to open. */
export const openKeys = () => void document.dispatchEvent(new Event(keysAsked))

/** `openKeys` sends this event to the document. */
export const keysAsked = 'rampart-keys'
