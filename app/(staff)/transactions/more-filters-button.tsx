'use client'

import { clsx } from 'clsx'
import { SlidersHorizontal } from 'lucide-react'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { filterFlagLabels } from '#lib/search/labels/filter-flag-labels.ts'
import { type FilterTexts, filterFlags, textPartsOf } from '#lib/transactions/rules/transaction-filters.ts'

export const moreFiltersId = 'more-filters'

export const moreFiltersPanelId = 'more-filters-panel'

/** The button opens and closes the filters that are used less, and says how many of them are set. */
export function MoreFiltersButton({
  texts,
  open,
  onOpen,
  onPrepare,
}: {
  readonly texts: FilterTexts
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  /** Somebody is about to open the filters. */
  readonly onPrepare: () => void
}) {
  const held = textPartsOf(texts).filter(({ part }) => part !== 'direction' && part !== 'step').length
  return (
    <button
      type="button"
      id={moreFiltersId}
      aria-expanded={open}
      aria-controls={open ? moreFiltersPanelId : undefined}
      onPointerEnter={onPrepare}
      onFocus={onPrepare}
      onClick={() => onOpen(!open)}
      className="inline-flex min-h-7.5 items-center gap-1.5 rounded-control border border-line-strong py-0.5 pr-2.5 pl-2 text-muted text-xs hover:bg-hover hover:text-text aria-expanded:bg-hover aria-expanded:text-text pointer-coarse:min-h-10"
    >
      <SlidersHorizontal className="size-3.5" aria-hidden />
      More filters
      {held > 0 && <b className="num font-title text-text">{held}</b>}
    </button>
  )
}

/**
 * The skeleton replaces the filters while they load. It has the same fields in the same grid, so that the list
 * moves only once, at the press.
 */
export function MoreFiltersSkeleton() {
  return (
    <div aria-hidden className={filterGrid.all}>
      <FieldSkeleton />
      <FieldSkeleton />
      <FieldSkeleton />
      <FieldSkeleton />
      <div className={filterGrid.ranges}>
        <FieldSkeleton hint={amountHint} />
        <FieldSkeleton />
        <FieldSkeleton hint="UTC" />
        <FieldSkeleton />
        <Skeleton className={clsx(filterGrid.whole, 'h-7 w-40 pointer-coarse:h-10')} />
      </div>
      <div className={filterGrid.person}>
        <FieldSkeleton />
      </div>
      <div className={filterGrid.whole}>
        <Skeleton className="mb-1.5 h-lh w-20 text-sm" />
        <div className="invisible flex flex-wrap gap-x-5 gap-y-2 text-sm">
          {filterFlags.map((flag) => (
            <span key={flag} className="pl-6.5 font-label pointer-coarse:py-2.5">
              {filterFlagLabels[flag]}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

const FieldSkeleton = ({ hint }: { readonly hint?: string }) => (
  <div>
    <Skeleton className="mb-1.5 h-lh w-20 text-sm" />
    <Skeleton className="h-10" />
    {hint && <p className="invisible mt-1.5 text-sm">{hint}</p>}
  </div>
)

/** The filters behind “More filters” use this grid, and so does their skeleton. */
export const filterGrid = {
  all: 'grid grid-cols-[minmax(0,1fr)] gap-4 p-4 sm:grid-cols-2 xl:grid-cols-4',
  ranges:
    'grid grid-cols-[minmax(0,1fr)] gap-4 self-start sm:col-span-2 sm:grid-cols-2 xl:col-span-4 xl:grid-cols-4',
  person: 'sm:col-span-2 2xl:col-span-1',
  whole: 'min-w-0 sm:col-span-2 xl:col-span-4',
} as const

/** The hint breaks into two lines in a narrow column. */
export const amountHint = 'In fiat, or in the chosen coin'
