'use client'

import { SlidersHorizontal } from 'lucide-react'
import { type FilterTexts, textPartsOf } from '#lib/transactions/rules/transaction-filters.ts'

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
