'use client'

import { FilterX } from 'lucide-react'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { totalLabel } from '#components/ui/shared/total-label.ts'
import { type FilterTexts, noFilters, textPartsOf } from '#lib/transactions/rules/transaction-filters.ts'
import type { WithoutFilter } from '#lib/transactions/transaction-view.ts'
import { FilterValue } from './filter-value.tsx'

/** No transaction matches. Each button removes one filter, and says how many match without it. */
export function NothingMatches({
  texts,
  person,
  withoutFilter,
  onChange,
}: {
  readonly texts: FilterTexts
  readonly person: string | null
  readonly withoutFilter: readonly WithoutFilter[]
  readonly onChange: (texts: FilterTexts) => void
}) {
  const parts = textPartsOf(texts)
  const ways = withoutFilter.flatMap(({ part, total }) => {
    const given = parts.find((each) => each.part === part)
    return given ? [{ ...given, total }] : []
  })
  return (
    <EmptyState
      icon={FilterX}
      title={
        parts.length === 1
          ? 'No transaction matches this filter'
          : 'No transaction matches all of these filters'
      }
      action={
        <Button onClick={() => onChange(noFilters)}>
          {parts.length === 1 ? 'Clear the filter' : 'Clear all filters'}
        </Button>
      }
    >
      <p>New matches appear automatically.</p>
      {parts.length > 1 && (
        <>
          <p className="mt-3">
            {ways.length > 0
              ? 'There are matches without one of them:'
              : 'No single one of them is the reason.'}
          </p>
          <ul className="mt-2 grid justify-items-center gap-1.5">
            {ways.map(({ part, rest, total }) => (
              <li key={part}>
                <Button size="sm" onClick={() => onChange(rest)}>
                  <span>
                    Remove <FilterValue part={part} texts={texts} person={person} />: {totalLabel(total)}
                  </span>
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </EmptyState>
  )
}
