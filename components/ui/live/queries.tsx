'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FetchFailed } from '../browser/fetch-json.ts'
import { noticeLateAnswers } from './late-answers.ts'
import { useFeed } from './live.tsx'
import type { LiveFeed } from './live-feed.ts'

/** Queries inside refetch by themselves when something has changed; what they know outlasts the page that asked. */
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
  // As long as the feed lives: what changes while no page asks is out of date when one asks again.
  feed.onChange(() => queries.invalidateQueries({}, { cancelRefetch: false }))
  noticeLateAnswers(queries.getQueryCache())
  return queries
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
