'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useTransition } from 'react'
import { openPage } from '../form/open-page.ts'
import { FilterBar } from '../list/filter-bar.tsx'
import type { ListFilter } from '../list/filter-chips.tsx'

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
  return (
    <FilterBar
      filters={filters}
      aria-busy={pending}
      onChange={(changed) => {
        const held = Object.fromEntries(filters.map(({ name, value }) => [name, value]))
        const named = Object.entries({ ...held, ...changed }).flatMap(([name, value]) =>
          value ? [[name, value]] : [],
        )
        const query = new URLSearchParams({ ...kept, ...Object.fromEntries(named) }).toString()
        const to = query === '' ? path : `${path}?${query}`
        openPage(to, () => startTransition(() => router.push(to)))
      }}
    >
      {children && <div className="ml-auto">{children}</div>}
    </FilterBar>
  )
}
