'use client'

import { useKeptPlace } from '../browser/kept-place.ts'
import { type AddressQuery, useAddress } from '../browser/use-address.ts'
import { openPage } from '../form/open-page.ts'
import type { ChangedFilters } from './filter-chips.tsx'
import { useListTop } from './list-card.tsx'
import { type defineList, type ListPage, type RenderedPage, usePages } from './use-list.ts'

/** The address of a page holds the filters of its list, and the place in it. */
type ListSearch = { readonly cursor: string | null } & Readonly<Record<string, string | null>>

/**
 * The hook reads the list and its place from the address of the page, and changes both. A filter begins at the top.
 * Without a network the page stays as it is.
 */
export function useAddressedList<Row, Page extends ListPage<Row>, Search extends ListSearch>(
  useList: ReturnType<typeof defineList<Row, Page>>,
  {
    read,
    routeOf,
    readOf,
    addressOf,
    placeOf,
    rendered,
  }: {
    readonly read: (query: AddressQuery) => Search
    /** The rows come from this JSON route, and the list is at this address. */
    readonly routeOf: (search: Search) => string
    readonly addressOf: (search: Search) => string
    /** Some pages are read in another way, see `useList`. */
    readonly readOf?: (search: Search) => (() => Promise<Page>) | undefined
    readonly placeOf: (row: Row) => number
    readonly rendered: Omit<RenderedPage<Page>, 'path'> & { readonly search: Search }
  },
) {
  const [search, setSearch] = useAddress<Search, ListSearch>(read)
  const [place, goToTop] = useListTop()
  useKeptPlace()
  const { cursor } = search
  const list = useList({
    path: routeOf(search),
    read: readOf?.(search),
    isFirst: cursor === null,
    placeOf,
    rendered: { ...rendered, path: routeOf(rendered.search) },
  })
  const open = (changed: ChangedFilters, then?: () => void) =>
    openPage(addressOf({ ...search, ...changed }), () => {
      // The address changes first, because the browser keeps the scroll position of the page that is left.
      setSearch(changed, 'push')
      then?.()
    })
  const onCursor = (to: string | null) => open({ cursor: to }, goToTop)
  const { loading, reading } = list
  const pages = usePages(cursor, loading ? null : (reading?.next ?? null), onCursor, (to) =>
    addressOf({ ...search, cursor: to }),
  )
  return {
    search,
    setSearch,
    place,
    filterBy: (changed: ChangedFilters) => open({ ...changed, cursor: null }),
    /** `ListCard` takes these. */
    card: { list, cursor, onCursor, pages, onTop: goToTop },
  }
}
