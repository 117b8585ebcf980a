'use client'

import { FilterToken, FilterTokenList } from '#components/ui/filter-token.tsx'
import { type FilterTexts, noFilters, textPartsOf } from '#lib/transactions/rules/transaction-filters.ts'
import { FilterValue } from './filter-value.tsx'
import { moreFiltersId } from './more-filters-button.tsx'

/** Each active filter has a button that removes it. */
export function FilterTokens({
  texts,
  person,
  onChange,
}: {
  readonly texts: FilterTexts
  readonly person: string | null
  readonly onChange: (texts: FilterTexts) => void
}) {
  const parts = textPartsOf(texts)
  if (parts.length === 0) return null
  const change = (rest: FilterTexts) => {
    onChange(rest)
    // The pressed button is gone, so the focus moves.
    document.getElementById(moreFiltersId)?.focus()
  }
  return (
    <FilterTokenList onClear={() => change(noFilters)}>
      {parts.map(({ part, rest }) => (
        <FilterToken key={part} onRemove={() => change(rest)}>
          <FilterValue part={part} texts={texts} person={person} />
        </FilterToken>
      ))}
    </FilterTokenList>
  )
}
