import type { ComponentProps } from 'react'
import { FilterChips, withChosen } from './filter-chips.tsx'
import { FilterTokens } from './filter-tokens.tsx'

/** The filters of a list are chips, and each active one is below them with a button that removes it. */
export function FilterBar({ filters, onChange, ...rest }: ComponentProps<typeof FilterChips>) {
  const held = filters.flatMap((filter) =>
    filter.value === null ? [] : [{ ...filter, value: filter.value }],
  )
  const remove = (names: readonly string[]) => onChange(Object.fromEntries(names.map((name) => [name, null])))
  return (
    <>
      <FilterChips filters={filters} onChange={onChange} {...rest} />
      <FilterTokens
        onClear={() => remove(held.map(({ name }) => name))}
        tokens={held.map((filter) => ({
          key: filter.name,
          text: (
            <>
              {filter.label}:{' '}
              <b className="font-title">
                {withChosen(filter).find(([value]) => value === filter.value)?.[1] ?? filter.text}
              </b>
            </>
          ),
          onRemove: () => remove([filter.name]),
        }))}
      />
    </>
  )
}
