'use client'

import { useRouter } from 'next/navigation'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { useAddress } from '#components/ui/browser/use-address.ts'
import { openPage } from '#components/ui/form/leave-guard.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import { Link } from '#components/ui/link.tsx'
import { Queries } from '#components/ui/live/queries.tsx'
import { readFilters } from '#lib/transactions/rules/read-filters.ts'
import { useListAddress } from './list-address.ts'
import { type Rendered, readTransactionsSearch } from './search.ts'
import { TransactionList } from './transaction-list.tsx'
import { useEscapeToList } from './use-escape-to-list.ts'

/**
 * The address names this list, which is beside the opened transaction. The browser reads it, and mostly has it
 * already.
 */
export function ListBeside(props: Omit<ComponentProps<typeof TransactionList>, 'rendered' | 'onWalk'>) {
  const [search] = useAddress(readTransactionsSearch)
  const [rendered] = useState((): Rendered => ({ ...none, search, wrong: readFilters(search, 0).wrong }))
  const router = useRouter()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // A reader who walks past many rows opens only the one at which they stop.
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

/** The button and Escape close what is open beside its list. */
export function BackToList() {
  const address = useListAddress()
  useEscapeToList(address)
  return (
    <p className="flex items-center justify-between text-sm">
      <Link href={address} className="rounded-sm font-title text-muted hover:text-text">
        Transactions
      </Link>
      <span className="flex items-center gap-1 text-faint text-xs">
        <Kbd>j</Kbd> <Kbd>k</Kbd> open the next, <Kbd>Esc</Kbd> closes
      </span>
    </p>
  )
}
