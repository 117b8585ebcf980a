'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { isTyping } from '#components/ui/browser/row-keys.tsx'
import { openPage } from '#components/ui/form/leave-guard.ts'

/**
 * Escape on an open transaction leads back to the list that it was opened from, or else to this address. Null turns
 * that off.
 */
export function useEscapeToList(address: string | null): void {
  const router = useRouter()
  useEffect(() => {
    if (address === null) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target)) return
      if (document.querySelector(':popover-open')) return
      const back = stepsBackToList()
      if (back === null) openPage(address, () => router.push(address))
      else openPage(address, () => history.go(-back))
    }
    // The listener runs after all others of the page, so that what is open in it closes first.
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [router, address])
}

/**
 * The list is this many steps back in this tab's history, with only transactions between; null when the browser
 * does not say.
 */
function stepsBackToList(): number | null {
  if (!('navigation' in window)) return null
  const { currentEntry } = window.navigation
  const here = currentEntry?.index ?? 0
  const before = window.navigation.entries().slice(0, here).reverse()
  const at = before.findIndex(({ url }) => !isTransaction(url))
  return pathOf(before[at]?.url) === '/transactions' ? at + 1 : null
}

const isTransaction = (url: string | null) => pathOf(url)?.startsWith('/transactions/') ?? false

const pathOf = (url: string | null | undefined) => (url ? new URL(url).pathname : null)
