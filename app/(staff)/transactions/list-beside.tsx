'use client'

import { useRouter } from 'next/navigation'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { useAddress } from '#components/ui/browser/use-address.ts'
import { openPage } from '#components/ui/form/open-page.ts'
import { Queries } from '#components/ui/live/queries.tsx'
import { readFilters } from '#lib/transactions/rules/read-filters.ts'
import { BackToList } from './back-to-list.tsx'
import type { Rendered } from './rendered.ts'
import { readTransactionsSearch } from './search.ts'
import { TransactionList } from './transaction-list.tsx'

/** The list that the address names, beside what it opened: read by the browser, which mostly has it already. */
export function ListBeside(props: Omit<ComponentProps<typeof TransactionList>, 'rendered' | 'onWalk'>) {
  const [search] = useAddress(readTransactionsSearch)
  const [rendered] = useState((): Rendered => ({ ...none, search, wrong: readFilters(search, 0).wrong }))
  const router = useRouter()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // Who walks past many opens only the one that they come to rest at.
  const open = (row: HTMLElement) => {
    const href = row.getAttribute('href')
    clearTimeout(timer.current)
    if (!href?.startsWith('/transactions/')) return
    timer.current = setTimeout(() => openPage(href, () => router.replace(href)), restMs)
  }
  return (
    <>
      <BackToList />
      <Queries>
        <TransactionList {...props} rendered={rendered} onWalk={open} />
      </Queries>
    </>
  )
}

/** The server made no list for this page. */
const none = { at: 0, page: null, found: null, deadLink: null, person: null }

const restMs = 120
