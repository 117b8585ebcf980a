'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import { FetchFailed } from '../fetch-json.ts'
import { isLocked, onUnlocked, reportSignedOut } from '../session/session-clock.ts'
import { LiveFeed, type LiveState } from './live-feed.ts'

const Feed = createContext<LiveFeed | null>(null)

/** Everything inside is notified of changes through one connection per tab; queries refetch by themselves. */
export function Live({ url, children }: { readonly url: string; readonly children: ReactNode }) {
  const [queries] = useState(newQueryClient)
  const feed = useMemo(() => new LiveFeed(url, reportSignedOut), [url])
  useEffect(() => {
    const forget = feed.onChange(() =>
      isLocked() ? undefined : queries.invalidateQueries({}, { cancelRefetch: false }),
    )
    feed.open()
    const reopen = onUnlocked(() => {
      feed.close()
      feed.open()
    })
    return () => {
      forget()
      reopen()
      feed.close()
    }
  }, [feed, queries])
  return (
    <Feed value={feed}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </Feed>
  )
}

/** The connection's state, and the switch to hold what comes in. */
export function useLive(): { state: LiveState; pause: () => void; resume: () => void } {
  const feed = useFeed()
  const state = useSyncExternalStore(
    (listener) => feed.onState(listener),
    () => feed.state,
    () => 'connecting' as const,
  )
  return { state, pause: () => feed.pause(), resume: () => feed.resume() }
}

/** Calls back when one of `subjects` (or any that the caller may see) has changed, or when a break may have hidden it. */
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

function useFeed(): LiveFeed {
  const feed = useContext(Feed)
  if (!feed) throw new Error('Live is missing around this component')
  return feed
}

/** A refusal would be the same on a second try. */
const retryOnceUnlessRefused = (failures: number, error: Error) =>
  failures < 1 && !(error instanceof FetchFailed && error.status >= 400 && error.status < 500)

const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // Without a network a query fails with words instead of waiting in silence.
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: retryOnceUnlessRefused,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
