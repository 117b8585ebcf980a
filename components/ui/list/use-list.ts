'use client'

import { keepPreviousData, replaceEqualDeep, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { fetchJson } from '../browser/fetch-json.ts'
import { entryKey, PerEntry } from '../browser/kept-place.ts'
import type { ListPages } from '../browser/remember-list.tsx'

/** A page of a list has these rows; `next` is the cursor of the page after it, null at the end. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** The server put this page of the list into the page of the browser, `at` in ms since 1970. */
export interface RenderedPage<Page> {
  readonly path: string
  readonly page: Page | null
  readonly at: number
}

interface ListRules<Row> {
  /** `key` names the list among the queries of a tab. */
  readonly key: string
  readonly idOf: (row: Row) => string
  /** Changes of these subjects, and of all subjects by default, are read at once: the beginnings of their ids. */
  readonly subjects?: string
  /** `renew` reads rows by their ids, as they are now. A list without it keeps rows that newer ones pushed off. */
  readonly renew?: (ids: readonly string[], signal: AbortSignal) => Promise<readonly Row[]>
}

interface AskedPage<Row, Page> {
  /** The page comes from this JSON route. The path tells it from other pages and lists. */
  readonly path: string
  /** `read` asks in another way, for example by a search that is counted: once, and not after each change. */
  readonly read?: (() => Promise<Page>) | undefined
  readonly isFirst: boolean
  /** The list sorts by this value, from the top down. */
  readonly placeOf: (row: Row) => number
  readonly rendered: RenderedPage<Page>
}

export interface List<Row, Page> {
  /** The rows are being read, in the order in which they were first shown; null while nothing has come yet. */
  readonly rows: readonly Row[] | null
  /** These have moved on and do not match the filters any more. */
  readonly noLongerMatching: ReadonlySet<string>
  /** This many have come since, and `showNew` puts them on top; `hasMoreNew`: there are even more. */
  readonly newCount: number
  readonly hasMoreNew: boolean
  readonly showNew: () => void
  /** `reading` is the page as it was first shown, and `latest` the newest answer, also one of other filters. */
  readonly reading: Page | null
  readonly latest: Page | null
  readonly loading: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** The cache of queries has the page in this form, which is no function whatever a page is. */
interface Answered<Page> {
  readonly page: Page
}

/** The page is as it was first shown, at this path. */
interface Shown<Page> {
  readonly path: string
  readonly page: Page
}

/**
 * The function makes the hook of one list. A page of the list keeps its rows in place while it is being read, and
 * each row is up to date. Each entry of the browser's history keeps its page.
 */
export function defineList<Row, Page extends ListPage<Row>>({ key, idOf, subjects, renew }: ListRules<Row>) {
  const shownOf = new PerEntry<Shown<Page>>()
  /** The last list goes on beside a row that it opened. */
  let lastShown: Shown<Page> | null = null
  const seen = new WeakSet<Page>()

  return function useList({ path, read, isFirst, placeOf, rendered }: AskedPage<Row, Page>): List<Row, Page> {
    const [shown, setShown] = useState<Shown<Page> | null>(() =>
      rendered.page === null && lastShown?.path === path ? lastShown : null,
    )
    const queries = useQueryClient()
    const given = rendered.path === path ? rendered.page : null
    const query = useQuery<Answered<Page>>({
      queryKey: listKey(key, path),
      queryFn: async ({ signal }) => ({ page: await (read ? read() : fetchJson<Page>(path, signal)) }),
      placeholderData: keepPreviousData,
      ...(read ? { staleTime: Number.POSITIVE_INFINITY, meta: { subjects: null } } : { meta: { subjects } }),
      ...(given === null ? {} : { initialData: { page: given }, initialDataUpdatedAt: rendered.at }),
    })
    const latest = query.data?.page ?? null
    const isThisList = query.isPlaceholderData ? null : latest
    // Nobody reads an empty page, so new rows may be shown at once.
    if (
      isThisList &&
      (shown?.path !== path || (shown.page.rows.length === 0 && isThisList.rows.length > 0))
    ) {
      setShown({ path, page: isThisList })
    }
    // A page that the server has just made is newer than what an earlier visit left in the cache.
    const takeRendered = useEffectEvent((to: string) => {
      if (given === null || seen.has(given)) return
      seen.add(given)
      const queryKey = listKey(key, to)
      const isChanged = queries.getQueryState(queryKey)?.isInvalidated
      queries.setQueryData<Answered<Page>>(queryKey, { page: given })
      // The change may have come after the server read the page.
      if (isChanged) void queries.invalidateQueries({ queryKey })
      setShown({ path: to, page: given })
    })
    useLayoutEffect(() => takeRendered(path), [path])
    // A reader who comes back sees the rows that they had read, and newer ones wait above them.
    useLayoutEffect(() => {
      const kept = shownOf.get(entryKey())
      if (kept?.path === path) setShown(kept)
    }, [path])
    useLayoutEffect(() => {
      if (shown === null) return
      shownOf.set(entryKey(), shown)
      lastShown = shown
    }, [shown])
    // The page does not show rows of another list, because the reader would take them for those that could not be
    // loaded.
    const reading = query.isError && shown?.path !== path ? latest : (shown?.page ?? latest)
    const order = { idOf, placeOf }
    const pushedOff = renew && reading && isThisList ? rowsPushedOff(reading, isThisList, order) : []
    const { data: renewed } = useQuery({
      queryKey: [key, 'rows', pushedOff],
      queryFn: ({ signal }) => renew?.(pushedOff, signal) ?? [],
      enabled: pushedOff.length > 0,
      placeholderData: keepPreviousData,
      meta: { renews: true, subjects },
    })
    const merged =
      reading &&
      (isThisList
        ? mergeListed(reading, isThisList, order, renewed)
        : { rows: reading.rows, noLongerMatching: noRows, newCount: 0 })
    return {
      rows: merged?.rows ?? null,
      noLongerMatching: merged?.noLongerMatching ?? noRows,
      newCount: merged && isFirst ? merged.newCount : 0,
      hasMoreNew: merged !== null && isThisList !== null && merged.newCount === isThisList.rows.length,
      showNew: () => isThisList && setShown({ path, page: isThisList }),
      reading,
      latest,
      loading: query.isPlaceholderData || (query.isFetching && !latest),
      error: query.error,
      retry: () => void query.refetch(),
    }
  }
}

/** A page of a list has this key among the queries. */
export const listKey = (list: string, path: string) => [list, 'listed', path] as const

const noRows: ReadonlySet<string> = new Set()

/**
 * Each page follows another one, both by their cursors. This lasts as long as the tab, so that it outlives an
 * opened row.
 */
const newerThan = new Map<string, string | null>()

/**
 * The hook turns the pages of a list whose place is in the address. Going back from a page that a link opened leads
 * to the first one. `next` is the cursor of the page after it: null at the end of the list, and while the page
 * itself is being fetched.
 */
export function usePages(
  cursor: string | null,
  next: string | null,
  onCursor: (cursor: string | null) => void,
  addressOf: (cursor: string | null) => string,
) {
  const newer = cursor === null ? null : (newerThan.get(cursor) ?? null)
  useEffect(() => {
    if (next !== null) newerThan.set(next, cursor)
  }, [next, cursor])
  const pages: ListPages = {
    newer: cursor === null ? null : addressOf(newer),
    older: next === null ? null : addressOf(next),
  }
  return {
    onNewer: cursor === null ? null : () => onCursor(newer),
    onOlder: next === null ? null : () => onCursor(next),
    pages,
  }
}

interface ListOrder<Row> {
  readonly idOf: (row: Row) => string
  readonly placeOf: (row: Row) => number
}

interface MergedPage<Row> {
  readonly rows: readonly Row[]
  /** These do not match the filters any more. */
  readonly noLongerMatching: ReadonlySet<string>
  /** This many are above the first row in `latest`. */
  readonly newCount: number
}

/** `latest` says nothing of these rows, since newer ones have pushed them off it. */
export function rowsPushedOff<Row>(
  reading: ListPage<Row>,
  latest: ListPage<Row>,
  order: ListOrder<Row>,
): readonly string[] {
  const { idOf } = order
  const listed = new Set(latest.rows.map(idOf))
  const isReached = reachOf(latest, order)
  return reading.rows.flatMap((row) => (listed.has(idOf(row)) || isReached(row) ? [] : idOf(row)))
}

/** A row would be in this page if it still matched the filters. */
function reachOf<Row>({ rows, next }: ListPage<Row>, { placeOf }: ListOrder<Row>) {
  const last = rows.at(-1)
  return (row: Row) => next === null || (last !== undefined && placeOf(row) > placeOf(last))
}

/**
 * The rows being read are updated; each stays the same object until it changes. A row that is missing in `latest`
 * has moved on. `renewed` are the rows that were pushed off, as they are now.
 */
export function mergeListed<Row>(
  reading: ListPage<Row>,
  latest: ListPage<Row>,
  order: ListOrder<Row>,
  renewed: readonly Row[] = [],
): MergedPage<Row> {
  const { idOf, placeOf } = order
  const isReached = reachOf(latest, order)
  const newRows = new Map(latest.rows.map((row) => [idOf(row), row]))
  const now = new Map([...renewed, ...latest.rows].map((row) => [idOf(row), row]))
  const noLongerMatching = new Set<string>()
  const rows = reading.rows.map((row) => {
    const id = idOf(row)
    if (!newRows.delete(id) && isReached(row)) noLongerMatching.add(id)
    const present = now.get(id)
    return present ? replaceEqualDeep(row, present) : row
  })
  const first = reading.rows[0]
  const fresh = [...newRows.values()].filter((row) => first !== undefined && placeOf(row) >= placeOf(first))
  return { rows, noLongerMatching, newCount: fresh.length }
}
