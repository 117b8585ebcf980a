import { leaveFor } from './leave-guard.ts'

/** Says what keeps a page from coming, and answers whether the open one stays because of it. */
type Guard = (to: string, open: () => void, isAnswering: boolean) => boolean

let standing: Guard | null = null

/**
 * Opens a page of this site by `open`, for whatever does so without a link: with a question where one stands in the way, and
 * not while there is no network or server to bring it, for the browser would put its own page of an error in place of this
 * one. `isAnswering` is false when the server has just not answered.
 */
export function openPage(to: string, open: () => void, isAnswering = true): void {
  if (!standing?.(to, open, isAnswering)) leaveFor(open)
}

/**
 * Opens the page that comes after what a form has just done, where there is no network once that is back, unless another page was
 * opened meanwhile: sent again in its place, the form would do it once more.
 */
export function openMade(to: string, open: () => void): void {
  const isOffline = !navigator.onLine
  openPage(to, open)
  if (!isOffline || !standing) return
  const { href } = location
  window.addEventListener('online', () => location.href === href && openMade(to, open), { once: true })
}

/** Has `guard` decide; answers how to end it. */
export function guardOpening(guard: Guard): () => void {
  standing = guard
  return () => {
    if (standing === guard) standing = null
  }
}
