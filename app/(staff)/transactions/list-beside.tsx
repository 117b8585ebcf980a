'use client'

import { useRouter } from 'next/navigation'
import { useQueryStates } from 'nuqs'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import type { Rendered } from './rendered.ts'
import { transactionsSearch } from './search.ts'
import { TransactionList } from './transaction-list.tsx'

/** The list that the address names, beside what it opened: read by the browser, which mostly has it already. */
export function ListBeside(props: Omit<ComponentProps<typeof TransactionList>, 'rendered' | 'onWalk'>) {
  const [search] = useQueryStates(transactionsSearch)
  const [rendered] = useState((): Rendered => ({ ...none, search }))
  const router = useRouter()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // Who walks past many opens only the one that they come to rest at.
  const open = (row: HTMLElement) => {
    const href = row.getAttribute('href')
    clearTimeout(timer.current)
    if (href?.startsWith('/transactions/')) timer.current = setTimeout(() => router.replace(href), restMs)
  }
  return <TransactionList {...props} rendered={rendered} onWalk={open} />
}

/** The server made no list for this page. */
const none = { at: 0, page: null, found: null, deadLink: null, person: null }

const restMs = 120
