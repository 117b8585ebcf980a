'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { linkFollowedHere } from '../browser/link-followed-here.ts'
import { Callout } from '../ui/callout.tsx'

/** Milliseconds after a click at which a page that has not come is shown to be on its way, and those at which it is late. */
const [shownAfter, lateAfter, givenUpAfter] = [300, 5_000, 60_000]

/** Says that the next page is on its way, that it is late, or that there is no network to bring it; this one stays meanwhile. */
export function PageChange() {
  const here = `${usePathname()}?${useSearchParams()}`
  const [left, setLeft] = useState<{ readonly from: string; readonly online: boolean } | null>(null)
  const [phase, setPhase] = useState<'waits' | 'coming' | 'late'>('waits')
  const isLeaving = left?.from === here
  const onClick = useEffectEvent((event: MouseEvent) => {
    if (!opensPageHere(event)) return
    const online = navigator.onLine
    setLeft({ from: here, online })
    setPhase('waits')
    if (online) return
    // The browser would put its own page of an error in place of this one.
    event.preventDefault()
    event.stopImmediatePropagation()
  })
  useEffect(() => {
    const stay = () => setLeft(null)
    const controller = new AbortController()
    const { signal } = controller
    window.addEventListener('click', onClick, { capture: true, signal })
    window.addEventListener('online', stay, { signal })
    window.addEventListener('popstate', stay, { signal })
    return () => controller.abort()
  }, [])
  useEffect(() => {
    if (!left?.online) return
    // Where a question about leaving was asked first, nothing is on its way.
    const enter = (next: typeof phase) => (isAsked() ? setLeft(null) : setPhase(next))
    const timers = [
      setTimeout(() => enter('coming'), shownAfter),
      setTimeout(() => enter('late'), lateAfter),
      setTimeout(() => setLeft(null), givenUpAfter),
    ]
    return () => {
      for (const timer of timers) clearTimeout(timer)
    }
  }, [left])
  return (
    <>
      {isLeaving && left.online && phase !== 'waits' && (
        <div aria-hidden className="fixed inset-x-0 top-0 z-50 h-0.5 animate-breathe bg-move" />
      )}
      <div role="status" className="fixed inset-x-4 bottom-4 z-40 mx-auto max-w-lg empty:hidden">
        {isLeaving && left.online && phase === 'late' && (
          <Words title="The next page takes longer than usual.">
            The database may be busy. Nothing is lost: it opens as soon as it is there, or choose something
            else.
          </Words>
        )}
        {isLeaving && !left.online && (
          <Words title="There is no network, so this page stays.">
            What is open here can be read on. Try again when the network is back.
          </Words>
        )}
      </div>
    </>
  )
}

const Words = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Callout kind="warning" title={title} className="shadow-float">
    {children}
  </Callout>
)

/** Whether a click leads to another page of this site, in this tab. */
function opensPageHere(event: MouseEvent): boolean {
  const link = linkFollowedHere(event)
  if (!link?.href) return false
  const { origin, pathname, search } = new URL(link.href)
  if (origin !== location.origin || pathname.startsWith('/api/')) return false
  return pathname !== location.pathname || search !== location.search
}

const isAsked = () => document.querySelector('dialog[open], [role=alertdialog]') !== null
