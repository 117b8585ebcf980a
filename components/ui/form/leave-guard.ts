/** `Ask` asks before the page or the dialog is left; `leave` leaves it. */
type Ask = (leave: () => void) => void

let standing: Ask | null = null

/** This many parts of the page must stay on it. */
let kept = 0

/** A part of the page shows something once, is about to, or is an open dialog. Returns a function that ends this. */
export function keepPage(): () => void {
  kept += 1
  return () => {
    kept -= 1
  }
}

/** A page that refreshes itself now could lose what it shows once. */
export const isGuarded = (): boolean => standing !== null || kept > 0

/** Something that leaves without a link calls this: `then` runs after the question, if there is one. */
export function leaveFor(then: () => void): void {
  if (standing) standing(then)
  else then()
}

/**
 * Every way off the page asks first: links, the browser’s back and forward, a reload, closing the tab, and
 * `leaveFor`. Returns a function that ends this.
 */
export function guardLeaving(ask: Ask): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const end = () => {
    stop.abort()
    if (standing === asked) standing = null
  }
  const asked: Ask = (leave) =>
    ask(() => {
      end()
      leave()
    })
  standing = asked
  // The browser asks in its own words.
  window.addEventListener('beforeunload', (event) => event.preventDefault(), { signal })
  // Next's own handler is further inside, so this one runs before it.
  window.addEventListener('click', (event) => askAtLink(event, asked), { capture: true, signal })
  // Not every browser has it. Next changes the address only after it has shown the page, which is too late for a
  // question.
  if ('navigation' in window)
    window.navigation.addEventListener('navigate', (event) => askAtTraversal(event, asked), { signal })
  return end
}

function askAtLink(event: MouseEvent, ask: Ask): void {
  const link = linkFollowedHere(event)
  if (!link) return
  event.preventDefault()
  event.stopPropagation()
  ask(() => link.click())
}

function askAtTraversal(event: NavigateEvent, ask: Ask): void {
  if (event.navigationType !== 'traverse' || !event.cancelable) return
  event.preventDefault()
  const { key } = event.destination
  ask(() => void window.navigation.traverseTo(key))
}

/** The click follows this link in this tab; null when it follows none, or opens or saves something beside the page. */
export function linkFollowedHere(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute('download')) return null
  return ['', '_self'].includes(link.target) ? link : null
}

/** A page was opened from this address, and nothing was typed since. */
let leaving: string | null = null

/** Call this when a page of the site is opened, which may take time to come. */
export function noteLeaving(): void {
  leaving = location.href
}

/** Whoever types, goes back, or is asked first stays on the page. So does everybody whose page did not come. */
export function noteStaying(): void {
  leaving = null
}

/** Another page is on its way. Changing the address now would keep it from coming. */
export const isLeaving = (): boolean => leaving === location.href

/** The guard says what keeps a page from coming, and returns whether the open page stays because of it. */
type Guard = (to: string, open: () => void, isAnswering: boolean) => boolean

let opening: Guard | null = null

/**
 * `open` opens a page of this site without a link. A question comes first if there is one. Nothing opens before the
 * server answers, because the browser would replace this page with its own error page. `isAnswering` is false
 * when the server has just not answered.
 */
export function openPage(to: string, open: () => void, isAnswering = true): void {
  if (!opening?.(to, open, isAnswering)) leaveFor(open)
}

/**
 * The page follows what a form has just done. Without a network it opens once that is back, or the server answers, unless another
 * page was opened meanwhile: if the form were sent again instead, it would do the same twice.
 */
export function openMade(to: string, open: () => void): void {
  const isOffline = !navigator.onLine
  let isOpened = false
  const openOnce = () => {
    if (!isOpened) open()
    isOpened = true
  }
  openPage(to, openOnce)
  if (!isOffline || !opening) return
  const { href } = location
  const openLater = () => !isOpened && location.href === href && openMade(to, openOnce)
  window.addEventListener('online', openLater, { once: true })
}

/** `guard` decides from now on. Returns a function that ends this. */
export function guardOpening(guard: Guard): () => void {
  opening = guard
  return () => {
    if (opening === guard) opening = null
  }
}
