'use client'

import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { AllowedList } from '#lib/audit/export-ticket.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import { useRowKeys } from '../browser/row-keys.tsx'
import { ExportLater } from '../export-list/export-later.tsx'
import type { ExportedList } from '../export-list/export-list.tsx'
import type { Noun } from '../shared/total-label.ts'
import { FilterBar } from './filter-bar.tsx'
import type { ListFilter } from './filter-chips.tsx'
import { ListCard, ListSkeleton } from './list-card.tsx'
import { type ListColumn, ListRows } from './list-rows.tsx'
import { totalWaiting } from './total-waiting.ts'
import type { useAddressedList } from './use-addressed-list.ts'
import type { ListPage } from './use-list.ts'

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
