'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FetchFailed } from '../browser/fetch-json.ts'
import { noticeLateAnswers } from './late-answers.ts'
import { useFeed } from './live.tsx'
import type { LiveFeed } from './live-feed.ts'
import type { ChangedSubjects } from './stream-message.ts'

/** Queries inside are fetched again when something has changed. Their data outlives the page that asked. */
export function Queries({ children }: { readonly children: ReactNode }) {
  const feed = useFeed()
  const [queries] = useState(() => queriesOf(feed))
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>
}

const clients = new WeakMap<LiveFeed, QueryClient>()

function queriesOf(feed: LiveFeed): QueryClient {
  const known = clients.get(feed)
  if (known) return known
  const queries = newQueryClient()
  clients.set(feed, queries)
  // The listener lives as long as the feed: data that changes while no page asks is stale for the next page.
  feed.onChange((changed) =>
    queries.invalidateQueries(
      { predicate: ({ meta }) => concerns(meta?.subjects, changed) },
      { cancelRefetch: false },
    ),
  )
  noticeLateAnswers(queries.getQueryCache())
  return queries
}

/**
 * The `meta` of a query may hold the beginning of the ids whose changes it shows, or null for none. Others show
 * every change.
 */
export const concerns = (subjects: unknown, changed: ChangedSubjects): boolean =>
  typeof subjects === 'string'
    ? changed === 'anything' || changed.some((id) => id.startsWith(subjects))
    : subjects !== null

/** A refusal would be the same on a second try. */
const retryOnceUnlessRefused = (failures: number, error: Error) =>
  failures < 1 && !(error instanceof FetchFailed && error.status >= 400 && error.status < 500)

const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // A query without a network fails with a message, and does not wait in silence.
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: retryOnceUnlessRefused,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
