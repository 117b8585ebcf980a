'use client'

import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { AllowedList } from '#lib/audit/export-ticket.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import { useKeptPlace } from '../browser/kept-place.ts'
import { useRowKeys } from '../browser/row-keys.tsx'
import { type AddressQuery, useAddress } from '../browser/use-address.ts'
import { ExportLater } from '../export-list/export-later.tsx'
import type { ExportedList } from '../export-list/export-list.tsx'
import { openPage } from '../form/leave-guard.ts'
import { type Noun, totalWaiting } from '../shared/total-label.ts'
import { FilterBar } from './filter-bar.tsx'
import type { ChangedFilters, ListFilter } from './filter-chips.tsx'
import { ListCard, ListSkeleton, useListTop } from './list-card.tsx'
import { type ListColumn, ListRows } from './list-rows.tsx'
import { type defineList, type ListPage, type RenderedPage, usePages } from './use-list.ts'

/** The address of a page holds the filters of its list, and the place in it. */
type ListSearch = { readonly cursor: string | null } & Readonly<Record<string, string | null>>

/**
 * The hook reads the list and its place from the address of the page, and changes both. A filter begins at the top.
 * Until the server answers the page stays as it is.
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
  const [search, setSearch, shown] = useAddress<Search, ListSearch>(read)
  const [place, goToTop] = useListTop()
  useKeptPlace(shown)
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

interface CountedPage<Row> extends ListPage<Row> {
  readonly total: Total
}

/** The list whose filters are in the address is described by data: its filters, its columns, and its file. */
export function AddressedList<Row, Page extends CountedPage<Row>>({
  of: { search, place, filterBy, card },
  name,
  noun,
  filters = [],
  exported,
  allowExport = null,
  columns,
  idOf,
  empty,
}: {
  readonly of: Pick<
    ReturnType<typeof useAddressedList<Row, Page, { readonly cursor: string | null }>>,
    'search' | 'place' | 'filterBy' | 'card'
  >
  readonly name: string
  readonly noun: Noun
  readonly filters?: readonly ListFilter[]
  readonly exported?: ExportedList
  /** `allowExport` is null for roles that may have no file. */
  readonly allowExport?: Action<AllowedList> | null
  readonly columns: readonly ListColumn<Row>[]
  readonly idOf: (row: Row) => string
  /** `empty` replaces the rows when there is none. */
  readonly empty: ReactNode
}) {
  useRowKeys()
  const [, many] = noun
  const total = card.list.latest?.total
  const given = Object.entries({ ...search, cursor: null }).flatMap(([name, value]) =>
    value ? [[name, value]] : [],
  )
  return (
    <>
      {filters.length > 0 && (
        <FilterBar filters={filters} onChange={filterBy}>
          {exported && allowExport && (
            <div className="ml-auto">
              <ExportLater list={exported} filters={Object.fromEntries(given)} allow={allowExport} />
            </div>
          )}
        </FilterBar>
      )}
      <div ref={place} tabIndex={-1} className={clsx('outline-none', filters.length === 0 && 'mt-4')}>
        <ListCard
          name={name}
          what={many}
          {...card}
          foot={total && totalWaiting(total, noun, card.list.newCount)}
          skeleton={(rows) => <ListSkeleton rows={rows} what={many} />}
          empty={empty}
        >
          {(rows, gone) => <ListRows columns={columns} rows={rows} idOf={idOf} noLongerMatching={gone} />}
        </ListCard>
      </div>
    </>
  )
}
