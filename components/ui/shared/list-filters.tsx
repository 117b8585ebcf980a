'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useTransition } from 'react'
import { FilterChip } from '../filter-chip.tsx'
import { FilterToken, FilterTokenList } from '../filter-token.tsx'
import { openPage } from '../form/open-page.ts'

/** A filter of a list has a name in the address, a name for people, a value and its choices. */
export interface ListFilter {
  readonly param: string
  readonly name: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, label: string])[]
}

/** The server draws the list, so its filters are in the address, without the place in the list. */
export function ListFilters({
  path,
  kept = {},
  filters,
  children,
}: {
  readonly path: string
  /** `kept` is in the address too, and stays there. */
  readonly kept?: Readonly<Record<string, string>>
  readonly filters: readonly ListFilter[]
  /** `children` act on the list, at the end of the line. */
  readonly children?: ReactNode
}) {
  const router = useRouter()
  const [pending, startTransition] = useTransition()
  const open = (to: string) => openPage(to, () => startTransition(() => router.push(to)))
  const openWith = (held: readonly (readonly [param: string, value: string])[]) => {
    const query = new URLSearchParams({
      ...kept,
      ...Object.fromEntries(held.filter(([, value]) => value !== '')),
    }).toString()
    open(query === '' ? path : `${path}?${query}`)
  }
  const set = (changed: ListFilter, to: string) =>
    openWith(filters.map(({ param, value }) => [param, param === changed.param ? to : value]))
  const held = filters.filter(({ value }) => value !== '')
  return (
    <>
      <fieldset className="mt-4 mb-3 flex flex-wrap items-center gap-2" aria-busy={pending}>
        <legend className="sr-only">Filters</legend>
        {filters.map((filter) => (
          <FilterChip
            key={filter.param}
            name={filter.name}
            value={filter.value}
            choices={filter.choices}
            onChange={(value) => set(filter, value)}
          />
        ))}
        {children && <div className="ml-auto">{children}</div>}
      </fieldset>
      {held.length > 0 && (
        <FilterTokenList onClear={() => openWith([])}>
          {held.map((filter) => (
            <FilterToken key={filter.param} onRemove={() => set(filter, '')}>
              {filter.name}:{' '}
              <b className="font-title">
                {filter.choices.find(([each]) => each === filter.value)?.[1] ?? filter.value}
              </b>
            </FilterToken>
          ))}
        </FilterTokenList>
      )}
    </>
  )
}
