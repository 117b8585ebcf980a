'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { isTyping } from '#components/browser/is-typing.ts'
import { openPage } from '#components/form/open-page.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import { Link } from '#components/ui/link.tsx'
import { useListAddress } from './list-address.ts'

/** Closes what is open, by a click or by Escape. */
export function BackToList() {
  const router = useRouter()
  const address = useListAddress()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target)) return
      if (document.querySelector(':popover-open')) return
      if (addressBefore() === address) router.back()
      else openPage(address, () => router.push(address))
    }
    // After all that listens on the page: what is open in it closes first.
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [router, address])
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

/** The address before this one in the browser's history, where the browser says it. */
function addressBefore(): string | null {
  if (!('navigation' in window)) return null
  const { currentEntry } = window.navigation
  const before = window.navigation.entries()[(currentEntry?.index ?? 0) - 1]
  if (!before?.url) return null
  const { pathname, search } = new URL(before.url)
  return pathname + search
}
