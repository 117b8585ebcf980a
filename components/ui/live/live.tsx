'use client'

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
} from 'react'
import { type LiveStatus, type PageState, weakestState } from '#lib/operations/rules/health.ts'
import { onSignOut, onUnlocked, reportSignedOut } from '../browser/session.ts'
import { type FeedStart, LiveFeed, type LiveState } from './live-feed.ts'

/** `/design` uses this to show states without a connection. */
export const Feed = createContext<LiveFeed | null>(null)

/** Everything inside learns of changes through one connection, which the tabs of a browser share. */
export function Live({
  url,
  name,
  position,
  status,
  children,
}: FeedStart & { readonly children: ReactNode }) {
  const [feed] = useState(() => new LiveFeed({ url, name, position, status }, reportSignedOut))
  useEffect(() => {
    feed.open()
    const reopen = onUnlocked(() => {
      feed.close()
      feed.open()
    })
    // A connection that is still opening would only be refused.
    const stay = onSignOut(() => feed.close())
    const unfollow = followPage(feed)
    return () => {
      reopen()
      stay()
      unfollow()
      feed.close()
    }
  }, [feed])
  useEffect(() => {
    if (status) feed.takeStatus(status)
  }, [feed, status])
  return <Feed value={feed}>{children}</Feed>
}

/**
 * A frozen or hidden page gives the connection to another tab. A page that wakes up asks for the changes that it
 * missed.
 */
function followPage(feed: LiveFeed): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  const wake = () => feed.wake()
  const giveUp = () => feed.close()
  const goOn = () => feed.open()
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && wake(), {
    signal,
  })
  window.addEventListener('online', wake, { signal })
  document.addEventListener('freeze', giveUp, { signal })
  document.addEventListener('resume', goOn, { signal })
  window.addEventListener('pagehide', ({ persisted }) => persisted && giveUp(), { signal })
  window.addEventListener('pageshow', ({ persisted }) => persisted && goOn(), { signal })
  return () => leaving.abort()
}

/**
 * The hook gives the connection's state, the number of things that wait for a pause to end, and the functions that
 * pause and resume.
 */
export function useLive(): {
  state: LiveState
  waiting: number | null
  pause: () => void
  resume: () => void
} {
  const feed = useFeed()
  const subscribe = useCallback((listener: () => void) => feed.onState(listener), [feed])
  const state = useSyncExternalStore(
    subscribe,
    () => feed.state,
    () => 'connecting' as const,
  )
  const waiting = useSyncExternalStore(
    subscribe,
    () => feed.waiting,
    () => 0,
  )
  return { state, waiting, pause: () => feed.pause(), resume: () => feed.resume() }
}

/**
 * The hook gives the state of deliveries and service, and the numbers that need attention; null when they are not
 * given.
 */
export function useLiveStatus(): LiveStatus | null {
  const feed = useFeed()
  return useSyncExternalStore(
    useCallback((listener: () => void) => feed.onState(listener), [feed]),
    () => feed.status,
    () => feed.status,
  )
}

/**
 * `onChange` is called when one of `subjects` (or any that the caller may see) has changed, or when a break may
 * have hidden a change.
 */
export function useChanges(
  subjects: readonly string[] | 'any',
  onChange: () => Promise<unknown> | undefined,
): void {
  const feed = useFeed()
  const notify = useEffectEvent(onChange)
  const wanted = subjects === 'any' ? null : subjects.join(' ')
  useEffect(() => {
    const ids = wanted === null ? null : new Set(wanted.split(' '))
    return feed.onChange((changed) =>
      ids === null || changed === 'anything' || changed.some((id) => ids.has(id)) ? notify() : undefined,
    )
  }, [feed, wanted])
}

/** `Queries` needs the feed itself. */
export function useFeed(): LiveFeed {
  const feed = useContext(Feed)
  if (!feed) throw new Error('Live is missing around this component')
  return feed
}

/** The header shows this state of the page. Other parts use it so that they do not contradict the header. */
export const usePageState = (): PageState => weakestState(useLive().state, useLiveStatus()?.health ?? null)
