'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useTransition } from 'react'
import { openPage } from '#components/ui/form/leave-guard.ts'
import { FilterBar } from '#components/ui/list/filter-bar.tsx'
import type { ListFilter } from '#components/ui/list/filter-chips.tsx'
import { addressOf } from '../address-of.ts'

/** The server draws the page, so its filters are in the address. A changed filter begins at the top. */
export function AlertFilters({
  filters,
  children,
}: {
  readonly filters: readonly ListFilter[]
  readonly children: ReactNode
}) {
  const router = useRouter()
  const [pending, startTransition] = useTransition()
  const held = Object.fromEntries(filters.map(({ name, value }) => [name, value]))
  return (
    <FilterBar
      filters={filters}
      aria-busy={pending}
      onChange={(changed) => {
        const to = addressOf('/alerts', { ...held, ...changed })
        openPage(to, () => startTransition(() => router.push(to)))
      }}
    >
      {children}
    </FilterBar>
  )
}
