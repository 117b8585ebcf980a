'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { makeWay } from '#components/ui/browser/row-keys.tsx'
import {
  guardOpening,
  leaveFor,
  linkFollowedHere,
  noteLeaving,
  noteStaying,
} from '#components/ui/form/leave-guard.ts'
import { isAnswerLate, lateAfter, onLateAnswer } from '#components/ui/live/late-answers.ts'
import { useFeed } from '#components/ui/live/live.tsx'
import { onceAnswered } from '#components/ui/live/once-answered.ts'

/** A click shows after `shownAfter` ms that its page is on the way. After `givenUpAfter` ms nobody waits for it. */
const [shownAfter, givenUpAfter] = [300, 60_000]

interface Left {
  readonly from: string
  /** `open` opens the wanted page. */
  readonly open: () => void
  /** `without` says what keeps the page from coming. */
  readonly without: 'nothing' | 'server' | 'network'
}

/** The server draws these messages, so that they are no part of the scripts. */
export interface PageChangeProps {
  readonly late: ReactNode
  readonly noServer: ReactNode
  readonly noNetwork: ReactNode
}

/**
 * The message says that the next page is on the way, that it or an answer is late, or that no server or network can
 * bring it. The present page stays meanwhile.
 */
export function PageChange({ late, noServer, noNetwork }: PageChangeProps) {
  const router = useRouter()
  const feed = useFeed()
  const here = `${usePathname()}?${useSearchParams()}`
  const [left, setLeft] = useState<Left | null>(null)
  const [phase, setPhase] = useState<'waits' | 'coming' | 'late'>('waits')
  const without = left?.from === here ? left.without : null
  const isLateHere = useSyncExternalStore(onLateAnswer, isAnswerLate, isAnswerLate)
  const guard = useEffectEvent((to: string, open: () => void, isAnswering: boolean) => {
    const { pathname, search } = new URL(to, location.href)
    if (pathname === location.pathname && search === location.search) return false
    const away = isAnswering && feed.state !== 'reconnecting' ? 'nothing' : 'server'
    const missing = navigator.onLine ? away : 'network'
    setLeft({ from: here, open, without: missing })
    setPhase('waits')
    if (missing === 'nothing') noteLeaving()
    else makeWay()
    return missing !== 'nothing'
  })
  const onClick = useEffectEvent((event: MouseEvent) => {
    const to = pageOpenedHere(event)
    if (to === null || event.defaultPrevented || !guard(to, () => router.push(to), true)) return
    // The browser would replace this page with its own error page.
    event.preventDefault()
    event.stopImmediatePropagation()
  })
  useEffect(() => {
    const stay = () => setLeft(null)
    const controller = new AbortController()
    const { signal } = controller
    signal.addEventListener(
      'abort',
      guardOpening((...page) => guard(...page)),
    )
    window.addEventListener('click', onClick, { capture: true, signal })
    window.addEventListener('online', stay, { signal })
    window.addEventListener('popstate', stay, { signal })
    for (const typed of ['input', 'paste'])
      window.addEventListener(typed, noteStaying, { capture: true, signal })
    return () => controller.abort()
  }, [])
  useEffect(() => {
    if (!left || left.without === 'nothing') return
    // A browser without a network may still reach a server on its own machine.
    const opening = onceAnswered(() => {
      setLeft({ ...left, without: 'nothing' })
      setPhase('waits')
      leaveFor(left.open)
    })
    opening.ask()
    return opening.stop
  }, [left])
  useEffect(() => {
    if (!left) return noteStaying()
    // A dialog asked about leaving first, so no page is on the way.
    const enter = (next: typeof phase) => (isAsked() ? setLeft(null) : setPhase(next))
    const timers = [
      setTimeout(() => enter('coming'), shownAfter),
      setTimeout(() => enter('late'), lateAfter),
      ...(left.without === 'nothing' ? [setTimeout(() => setLeft(null), givenUpAfter)] : []),
    ]
    return () => {
      for (const timer of timers) clearTimeout(timer)
    }
  }, [left])
  return (
    <>
      {without !== null && without !== 'network' && phase !== 'waits' && (
        <div aria-hidden className="fixed inset-x-0 top-0 z-50 h-0.5 animate-breathe bg-move" />
      )}
      <div role="status" className="fixed inset-x-4 bottom-4 z-40 mx-auto max-w-lg empty:hidden">
        {(without === 'nothing'
          ? phase === 'late'
          : without === null && isLateHere && feed.state !== 'reconnecting') && late}
        {without === 'server' && phase !== 'waits' && noServer}
        {without === 'network' && phase !== 'waits' && noNetwork}
      </div>
    </>
  )
}

/** A click opens this address of the site in this tab; null when it opens none. */
function pageOpenedHere(event: MouseEvent): string | null {
  const link = linkFollowedHere(event)
  if (!link?.href) return null
  const { origin, pathname, search, hash } = new URL(link.href)
  return origin !== location.origin || pathname.startsWith('/api/') ? null : pathname + search + hash
}

const isAsked = () => document.querySelector('dialog[open], [role=alertdialog]') !== null
