'use client'

import { clsx } from 'clsx'
import { type ReactNode, useRef } from 'react'
import { FetchFailed } from '../browser/fetch-json.ts'
import { Button } from '../button.tsx'
import { Card } from '../card.tsx'
import { EmptyState, Skeleton } from '../empty-state.tsx'
import { LoadError } from '../shared/load-error.tsx'
import { NewRows } from './new-rows.tsx'
import { Pagination } from './page-links.tsx'
import type { List, ListPage } from './use-list.ts'

/**
 * The card is one page of a list. Rows update in place; new ones wait behind a button until the reader asks for
 * them.
 */
export function ListCard<Row, Page extends ListPage<Row>>({
  name,
  what,
  list,
  cursor,
  onCursor,
  pages: { onNewer, onOlder },
  onTop,
  head,
  further,
  foot,
  empty,
  skeleton,
  children,
}: {
  readonly name: string
  /** `what` names the rows for screen readers. */
  readonly what?: string
  readonly list: List<Row, Page>
  readonly cursor: string | null
  readonly onCursor: (cursor: string | null) => void
  readonly pages: { readonly onNewer: (() => void) | null; readonly onOlder: (() => void) | null }
  /** `onTop` goes to the top of the list. */
  readonly onTop: () => void
  /** `head` and `further` are above and below the rows, `foot` is at the left of the buttons that turn pages. */
  readonly head?: ReactNode
  readonly further?: ReactNode
  readonly foot: ReactNode
  /** `empty` replaces the rows when the list has none; a later page can also have lost its own. */
  readonly empty: ReactNode
  /** `skeleton` replaces this many rows while they load. */
  readonly skeleton: (rows: number) => ReactNode
  readonly children: (rows: readonly Row[], noLongerMatching: ReadonlySet<string>) => ReactNode
}) {
  const { rows, error, loading } = list
  const isRefused = cursor !== null && error instanceof FetchFailed && error.status === 400
  return (
    <>
      <NewRows
        count={list.newCount}
        hasMore={list.hasMoreNew}
        {...(what ? { what } : {})}
        onShow={() => {
          list.showNew()
          onTop()
        }}
      />
      <Card aria-label={name} aria-busy={loading}>
        {head}
        {error !== null && (
          <LoadError error={error} onRetry={isRefused ? () => onCursor(null) : list.retry} />
        )}
        {rows === null
          ? error === null && skeleton(12)
          : rows.length > 0
            ? children(rows, list.noLongerMatching)
            : loading
              ? skeleton(3)
              : empty && cursor !== null
                ? nothingMore(onCursor)
                : empty}
        {further}
        {rows && (rows.length > 0 || cursor !== null) && (
          <Pagination pending={loading} onNewer={onNewer} onOlder={onOlder}>
            {foot}
          </Pagination>
        )}
      </Card>
    </>
  )
}

const nothingMore = (onCursor: (cursor: null) => void) => (
  <EmptyState
    title="Nothing more here"
    action={<Button onClick={() => onCursor(null)}>Begin at the top</Button>}
  />
)

/** The skeleton replaces this many rows. `rowClass` gives each its later height, and `head` is above them. */
export function ListSkeleton({
  rows,
  what,
  rowClass = 'h-11',
  head,
}: {
  readonly rows: number
  readonly what: string
  readonly rowClass?: string
  readonly head?: ReactNode
}) {
  return (
    <div role="status" className="@container">
      <span className="sr-only">Loading {what}</span>
      {head}
      {Array.from({ length: rows }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other key
          key={row}
          className={clsx('flex items-center gap-6 border-b px-3.5 last:border-b-0', rowClass)}
        >
          <Skeleton className="h-3.5 w-28" />
          <Skeleton className={`h-5 ${row % 2 === 0 ? 'w-24' : 'w-32'}`} />
          <Skeleton className="hidden h-3.5 w-32 @4xl:block" />
          <Skeleton className="ml-auto hidden h-3.5 w-24 @2xl:block" />
        </div>
      ))}
    </div>
  )
}

/** The hook gives the place around a list and a function that goes to its top. The next Tab goes to the first row. */
export function useListTop() {
  const place = useRef<HTMLDivElement>(null)
  const goToTop = () => {
    place.current?.focus({ preventScroll: true })
    const scrolled = place.current?.closest('[data-list-beside]') ?? window
    scrolled.scrollTo({ top: 0, behavior: 'instant' })
  }
  return [place, goToTop] as const
}
