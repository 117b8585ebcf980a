/** The link that a click follows in this tab; null when it follows none, or opens or saves something beside the page. */
export function linkFollowedHere(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute('download')) return null
  return ['', '_self'].includes(link.target) ? link : null
}
