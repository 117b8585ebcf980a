import { leaveFor } from './leave-guard.ts'

/** The guard says what keeps a page from coming, and returns whether the open page stays because of it. */
type Guard = (to: string, open: () => void, isAnswering: boolean) => boolean

let standing: Guard | null = null

/**
 * `open` opens a page of this site without a link. A question comes first if there is one. Nothing opens without a
 * network or server, because the browser would replace this page with its own error page. `isAnswering` is false
 * when the server has just not answered.
 */
export function openPage(to: string, open: () => void, isAnswering = true): void {
  if (!standing?.(to, open, isAnswering)) leaveFor(open)
}

/**
 * The page follows what a form has just done. Without a network it opens once the network is back, unless another
 * page was opened meanwhile: if the form were sent again instead, it would do the same twice.
 */
export function openMade(to: string, open: () => void): void {
  const isOffline = !navigator.onLine
  openPage(to, open)
  if (!isOffline || !standing) return
  const { href } = location
  window.addEventListener('online', () => location.href === href && openMade(to, open), { once: true })
}

/** `guard` decides from now on. Returns a function that ends this. */
export function guardOpening(guard: Guard): () => void {
  standing = guard
  return () => {
    if (standing === guard) standing = null
  }
}
